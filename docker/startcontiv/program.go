// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os/exec"
	"syscall"
	"time"
)

// The restart delays of a program, and the maximum time for its end. An engine waits ten seconds for a plugin that it stops.
const (
	firstPause = time.Second
	lastPause  = 30 * time.Second
	steady     = time.Minute // a program that has run for so long is restarted without a delay
	timeout    = 4 * time.Second
)

// program is one of the plugin's programs.
type program struct {
	name string
	path string
	args []string
	out  io.Writer // its output
	log  *slog.Logger

	after func(time.Duration) <-chan time.Time // nil: time.After
}

// run keeps the program running until ctx ends, and then ends it: SIGTERM, and SIGKILL after a while.
func (p *program) run(ctx context.Context) {
	pause := firstPause
	for {
		began := time.Now()
		err := p.once(ctx)
		if ctx.Err() != nil {
			p.log.Info("program stopped", "component", p.name)
			return
		}
		if time.Since(began) >= steady {
			pause = firstPause
		}
		p.log.Error("program exited; restarting", "component", p.name, "error", reason(err), "duration", pause)
		select {
		case <-ctx.Done():
			return
		case <-p.wait(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

func (p *program) wait(d time.Duration) <-chan time.Time {
	if p.after != nil {
		return p.after(d)
	}
	return time.After(d)
}

// once runs the program to its end.
func (p *program) once(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, p.path, p.args...)
	cmd.Stdout, cmd.Stderr = p.out, p.out
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = timeout
	if err := cmd.Start(); err != nil {
		return err
	}
	p.log.Info("program started", "component", p.name, "id", cmd.Process.Pid)
	return cmd.Wait()
}

// reason describes how a program ended, even without an error.
func reason(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

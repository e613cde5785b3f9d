// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bufio"
	"context"
	"io"
	"os/exec"

	"github.com/contiv/contiv/lab"
)

// end is a process inside a container that lives until its input ends. Killing it would leave it alive: the process here is only its
// parent.
type end struct {
	run   *exec.Cmd
	hold  io.Closer
	lines *bufio.Reader
}

// start runs "lab echo" with args inside a container. The caller stops it.
func (w *where) start(ctx context.Context, l *lab.Lab, container string, args ...string) (*end, error) {
	run, err := l.In(ctx, container, append([]string{l.Self(), "echo"}, args...)...)
	if err != nil {
		return nil, err
	}
	run.Stderr = w.s.Err
	out, err := run.StdoutPipe()
	if err != nil {
		return nil, err
	}
	hold, err := run.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := run.Start(); err != nil {
		return nil, err
	}
	return &end{run: run, hold: hold, lines: bufio.NewReader(out)}, nil
}

// line blocks until the process has printed one more line.
func (e *end) line() (string, error) { return e.lines.ReadString('\n') }

// stop ends the process and returns its result.
func (e *end) stop() error {
	_ = e.hold.Close()
	return e.run.Wait()
}

// untilInputEnds returns a ctx that ends with in: the other side of end's stop.
func untilInputEnds(ctx context.Context, in io.Reader) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	return ctx, cancel
}

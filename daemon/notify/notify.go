// SPDX-License-Identifier: Apache-2.0

// Package notify reports the state of a daemon to the service manager that started it: that the daemon has started, what it waits for, that
// it is alive, and that it stops (sd_notify(3)).
package notify

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/contiv/contiv/daemon/task"
)

// Times of a Reporter.
const (
	// startLimit is how long a daemon may wait until it counts as started nevertheless: a host whose cluster is away boots to its end, and
	// commands that start the daemon do not hang.
	startLimit = 30 * time.Second
	// pace is the interval of looking at what the daemon waits for.
	pace = time.Second
	// startPace is pace until the daemon has started.
	startPace = 100 * time.Millisecond
)

// Reporter reports a daemon to its service manager.
type Reporter struct {
	waiting  func() string
	watchdog time.Duration // interval in which the service manager expects a sign of life; 0: it expects none
	send     func(state string) error
	log      *slog.Logger
}

// New returns a reporter. waiting returns what the daemon waits for, or "" if it serves. It is called every second, and takes the locks
// that the work of the daemon takes: if it does not return, the daemon does not work, and the service manager restarts it.
func New(waiting func() string, log *slog.Logger) *Reporter {
	r := &Reporter{waiting: waiting, log: log}
	if os.Getenv("NOTIFY_SOCKET") == "" {
		return r
	}
	r.send = func(state string) error {
		_, err := daemon.SdNotify(false, state)
		return err
	}
	var err error
	if r.watchdog, err = daemon.SdWatchdogEnabled(false); err != nil {
		log.Warn("the service manager gets no signs of life", "error", err)
	}
	return r
}

// Task returns the task that reports. Without a service manager that listens it ends at once.
func (r *Reporter) Task() task.Task {
	return task.Func("service manager", func(ctx context.Context, ready func()) error {
		ready()
		if r.send != nil {
			r.run(ctx)
		}
		return nil
	})
}

// run reports until ctx ends.
func (r *Reporter) run(ctx context.Context) {
	begun, lived := time.Now(), time.Time{}
	started, last := false, ""
	for {
		var states []string
		waiting := r.waiting()
		if !started && (waiting == "" || time.Since(begun) >= startLimit) {
			started = true
			states = append(states, daemon.SdNotifyReady)
		}
		if status := status(waiting); status != last {
			last = status
			states = append(states, "STATUS="+status)
		}
		if r.watchdog > 0 && time.Since(lived) >= r.watchdog/4 {
			lived = time.Now()
			states = append(states, daemon.SdNotifyWatchdog)
		}
		r.report(states...)
		wait := pace
		if !started {
			wait = startPace
		}
		select {
		case <-ctx.Done():
			r.report(daemon.SdNotifyStopping, "STATUS=stopping")
			return
		case <-time.After(wait):
		}
	}
}

// status returns the text that systemctl status shows, one line.
func status(waiting string) string {
	if waiting == "" {
		return "ready"
	}
	return "waiting for " + strings.ReplaceAll(waiting, "\n", "; ")
}

// report sends states in one message.
func (r *Reporter) report(states ...string) {
	if len(states) == 0 {
		return
	}
	if err := r.send(strings.Join(states, "\n")); err != nil {
		r.log.Warn("the service manager does not receive this daemon's state", "error", err)
	}
}

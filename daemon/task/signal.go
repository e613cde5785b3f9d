// SPDX-License-Identifier: Apache-2.0

package task

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
)

// ErrStopped is the error of the task of Signals: a user stopped the program, which is no failure.
var ErrStopped = errors.New("asked to stop")

// Signals is a task that waits for one of the signals and then ends with ErrStopped, which stops its Group.
// It catches the signals from the moment it runs until it ends; the next one then has its usual effect.
func Signals(signals ...os.Signal) Task {
	return Func("signals", func(ctx context.Context, ready func()) error {
		got := make(chan os.Signal, 1)
		signal.Notify(got, signals...)
		defer signal.Stop(got)
		ready()
		select {
		case s := <-got:
			return fmt.Errorf("signal %q: %w", s, ErrStopped)
		case <-ctx.Done():
			return nil
		}
	})
}

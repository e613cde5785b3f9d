// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/contiv/contiv/daemon/task"
)

// failed is a store that yields an error.
type failed chan error

func (f failed) Failed() <-chan error { return f }

// A store in this process that fails ends netmaster with its error; the end of netmaster is no error.
func TestFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost, f := errors.New("the log lacks its end"), make(failed, 1)
		ended := make(chan error, 1)
		go func() { ended <- task.Run(t.Context(), slog.New(slog.DiscardHandler), watchFailure(f)) }()
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("want it to run while the store does, got %v", err)
		default:
		}
		f <- lost
		if err := <-ended; !errors.Is(err, lost) {
			t.Errorf("want %v, got %v", lost, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := task.Run(ctx, slog.New(slog.DiscardHandler), watchFailure(make(failed))); err != nil {
			t.Errorf("want no error at the end, got %v", err)
		}
	})
}

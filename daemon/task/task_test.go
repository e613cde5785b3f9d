// SPDX-License-Identifier: Apache-2.0

package task

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errBoom = errors.New("boom")

func endless(name string) Task {
	return Func(name, func(ctx context.Context, ready func()) error {
		ready()
		<-ctx.Done()
		return nil
	})
}

func failing(err error) Task {
	return Func("failing", func(context.Context, func()) error { return err })
}

func TestRun(t *testing.T) {
	tests := []struct {
		name  string
		tasks []Task
		want  error
		text  string
	}{
		{"none", nil, nil, ""},
		{"first error cancels the rest", []Task{endless("a"), failing(errBoom), endless("b")}, errBoom, "failing: boom"},
		{"asked to stop", []Task{endless("a"), failing(ErrStopped)}, nil, ""},
		{"done early", []Task{failing(nil), failing(nil)}, nil, ""},
		{"group in a group", []Task{endless("a"), NewGroup(slog.New(slog.DiscardHandler), failing(errBoom))}, errBoom, "group of 1 tasks: failing: boom"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Run(t.Context(), slog.New(slog.DiscardHandler), tt.tasks...)
			if !errors.Is(err, tt.want) || err != nil && err.Error() != tt.text {
				t.Errorf("want %v %q, got %v", tt.want, tt.text, err)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := NewGroup(slog.New(slog.DiscardHandler), endless("a"), Func("b", func(ctx context.Context, ready func()) error {
		ready()
		ready()
		<-ctx.Done()
		return errors.New("an error while stopping is not the reason for stopping")
	}))
	ended := make(chan error)
	go func() { ended <- g.Run(ctx) }()
	<-g.Ready()
	if got := g.Running(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("running: want a and b, got %v", got)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("want no error, got %v", err)
	}
	if got := g.Running(); len(got) != 0 {
		t.Errorf("running: want none, got %v", got)
	}
}

func TestWaiting(t *testing.T) {
	let := make(chan struct{})
	late := Func("late", func(ctx context.Context, ready func()) error {
		<-let
		ready()
		<-ctx.Done()
		return nil
	})
	early := endless("early")
	log := slog.New(slog.DiscardHandler)
	g := NewGroup(log, early, NewGroup(log, late))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- g.Run(ctx) }()
	<-early.Ready()
	if got := g.Waiting(); !slices.Equal(got, []string{"late"}) {
		t.Errorf("want late, got %v", got)
	}
	close(let)
	<-g.Ready()
	if got := g.Waiting(); len(got) != 0 {
		t.Errorf("want none, got %v", got)
	}
	cancel()
	<-ended
}

func TestSignals(t *testing.T) {
	s := Signals(syscall.SIGUSR2)
	g := NewGroup(slog.New(slog.DiscardHandler), endless("a"), s)
	ended := make(chan error)
	go func() { ended <- g.Run(t.Context()) }()
	<-s.Ready()
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("want no error, got %v", err)
	}
}

package vswitch

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/daemon/agent/registration"
)

// instanceRetry is how long a Instance waits before it tries again.
const instanceRetry = 200 * time.Millisecond

var errNoOVS = errors.New("there is no such directory: it does not run")

// Instance makes this agent the only one that works with the switch.
type Instance struct {
	rundir  string
	recall  func(token string) // called once, as soon as the seat is this agent's
	log     *slog.Logger
	taken   chan struct{}
	held    atomic.Pointer[registration.Lock]
	problem atomic.Pointer[string]
}

// NewInstance returns a Instance that nobody has. recall is called once it is this agent's, before Taken is closed.
func NewInstance(rundir string, recall func(token string), log *slog.Logger) *Instance {
	return &Instance{rundir: rundir, recall: recall, log: log, taken: make(chan struct{})}
}

// Taken is closed when no other agent works with the switch.
func (s *Instance) Taken() <-chan struct{} { return s.taken }

// Problem returns why the seat is not taken, "" while no reason is known.
func (s *Instance) Problem() string {
	if text := s.problem.Load(); text != nil {
		return *text
	}
	return ""
}

// Run takes the seat as soon as it is free. Leave gives it back.
func (s *Instance) Run(ctx context.Context, ready func()) error {
	path := File(s.rundir, ".agent")
	for {
		seat, err := registration.Acquire(path)
		if err == nil {
			s.held.Store(seat)
			s.problem.Store(nil)
			s.recall(seat.Token)
			close(s.taken)
			ready()
			return nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = errNoOVS // its directory comes with it
		}
		text := err.Error()
		if old := s.problem.Swap(&text); old == nil || *old != text {
			s.log.Warn("the agent cannot work with the switch, trying again", "error", err)
		}
		select {
		case <-time.After(instanceRetry):
		case <-ctx.Done():
			return nil
		}
	}
}

// Leave gives the seat back, after all that works with the switch has ended.
func (s *Instance) Leave() {
	if seat := s.held.Load(); seat != nil {
		seat.Leave()
	}
}

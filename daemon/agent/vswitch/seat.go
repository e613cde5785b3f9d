package vswitch

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/daemon/agent/claim"
)

// seatRetry is how long a Seat waits before it tries again.
const seatRetry = 200 * time.Millisecond

var errNoOVS = errors.New("there is no such folder: it does not run")

// Seat makes this agent the only one that works with the switch.
type Seat struct {
	rundir  string
	recall  func(token string) // called once, as soon as the seat is this agent's
	log     *slog.Logger
	taken   chan struct{}
	seat    atomic.Pointer[claim.Seat]
	problem atomic.Pointer[string]
}

// NewSeat returns a Seat that nobody has. recall is called once it is this agent's, before Taken is closed.
func NewSeat(rundir string, recall func(token string), log *slog.Logger) *Seat {
	return &Seat{rundir: rundir, recall: recall, log: log, taken: make(chan struct{})}
}

// Taken is closed when no other agent works with the switch.
func (s *Seat) Taken() <-chan struct{} { return s.taken }

// Problem returns why the seat is not taken, "" while no reason is known.
func (s *Seat) Problem() string {
	if text := s.problem.Load(); text != nil {
		return *text
	}
	return ""
}

// Run takes the seat as soon as it is free. Leave gives it back.
func (s *Seat) Run(ctx context.Context, ready func()) error {
	path := File(s.rundir, ".agent")
	for {
		seat, err := claim.Take(path)
		if err == nil {
			s.seat.Store(seat)
			s.problem.Store(nil)
			s.recall(seat.Token)
			close(s.taken)
			ready()
			return nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = errNoOVS // its folder comes with it
		}
		text := err.Error()
		if old := s.problem.Swap(&text); old == nil || *old != text {
			s.log.Warn("the agent cannot work with the switch, trying again", "error", err)
		}
		select {
		case <-time.After(seatRetry):
		case <-ctx.Done():
			return nil
		}
	}
}

// Leave gives the seat back, after all that works with the switch has ended.
func (s *Seat) Leave() {
	if seat := s.seat.Load(); seat != nil {
		seat.Leave()
	}
}

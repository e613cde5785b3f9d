// SPDX-License-Identifier: Apache-2.0

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

// instanceRetry is the time between two attempts to acquire the lock.
const instanceRetry = 200 * time.Millisecond

var errNoOVS = errors.New("there is no such directory: it does not run")

// Instance makes this agent the only one that works with the switch, by a lock.
type Instance struct {
	rundir  string
	recall  func(token string) // called once, when this agent has the lock
	log     *slog.Logger
	taken   chan struct{}
	held    atomic.Pointer[registration.Lock]
	problem atomic.Pointer[string]
}

// NewInstance returns an Instance without the lock. recall is called once with the lock, before Taken is closed.
func NewInstance(rundir string, recall func(token string), log *slog.Logger) *Instance {
	return &Instance{rundir: rundir, recall: recall, log: log, taken: make(chan struct{})}
}

// Taken is closed when this agent has the lock.
func (s *Instance) Taken() <-chan struct{} { return s.taken }

// Problem returns why the lock is not acquired, "" while no reason is known.
func (s *Instance) Problem() string {
	if text := s.problem.Load(); text != nil {
		return *text
	}
	return ""
}

// Run acquires the lock as soon as it is free. Leave releases it.
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
			err = errNoOVS // Open vSwitch creates its directory
		}
		text := err.Error()
		if old := s.problem.Swap(&text); old == nil || *old != text {
			s.log.Warn("cannot acquire the switch; retrying", "error", err)
		}
		select {
		case <-time.After(instanceRetry):
		case <-ctx.Done():
			return nil
		}
	}
}

// Leave releases the lock, after everything that uses the switch has ended.
func (s *Instance) Leave() {
	if seat := s.held.Load(); seat != nil {
		seat.Leave()
	}
}

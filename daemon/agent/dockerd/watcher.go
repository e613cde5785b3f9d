// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// pace has the time limits and intervals.
type pace struct {
	answer   time.Duration // limit of a request that reads
	work     time.Duration // limit of a request that changes, for which the engine may call the agent
	debounce time.Duration // how long events are collected
	retry    time.Duration // until a container is read again
	pulse    time.Duration // silence of an engine before it is pinged
	first    time.Duration // until the first attempt to reach an engine that is away
	maxWait  time.Duration // the same, after many attempts
}

func usual() pace {
	return pace{answer: 10 * time.Second, work: 30 * time.Second, debounce: 30 * time.Millisecond, retry: time.Second, pulse: 10 * time.Second,
		first: 200 * time.Millisecond, maxWait: 5 * time.Second}
}

// Watcher tracks the containers of one engine. Its methods are safe for concurrent use.
type Watcher struct {
	dial func() (Engine, error)
	log  *slog.Logger
	pace pace

	mu      sync.Mutex
	engine  Engine // nil while it is away
	state   State
	changed chan struct{}
}

// NewWatcher returns a Watcher of the engine that dial returns; Run watches.
func NewWatcher(dial func() (Engine, error), log *slog.Logger) *Watcher {
	return &Watcher{dial: dial, log: log, pace: usual(), changed: make(chan struct{}),
		state: State{Why: "it has not been asked yet", Since: time.Now(), Containers: map[string]Container{}}}
}

// State returns the current state. Its maps are read-only.
func (w *Watcher) State() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

// Changed returns a channel that is closed when State has changed after the call.
func (w *Watcher) Changed() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// Engine returns the engine while it answers.
func (w *Watcher) Engine() (e Engine, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.engine, w.engine != nil
}

// Run watches until ctx ends; then it returns nil.
func (w *Watcher) Run(ctx context.Context) error {
	wait, reported := w.pace.first, false
	for ctx.Err() == nil {
		err := w.follow(ctx)
		if ctx.Err() != nil {
			return nil
		}
		was := w.State()
		if was.Here {
			wait, reported = w.pace.first, false
		}
		if !reported {
			w.log.Warn("the Docker engine is unreachable; keeping the last known state of its containers", "error", err)
			reported = true
		}
		if was.Here || was.Why != err.Error() {
			w.update(nil, func(s *State) {
				if s.Here {
					s.Since = time.Now()
				}
				s.Here, s.Complete, s.Why = false, false, err.Error()
			})
		}
		pause(ctx, wait)
		wait = min(2*wait, w.pace.maxWait)
	}
	return nil
}

// pause waits for a duration, or for ctx.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// update changes the state, and the answering engine.
func (w *Watcher) update(e Engine, change func(s *State)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.engine = e
	change(&w.state)
	close(w.changed)
	w.changed = make(chan struct{})
}

var errSilent = errors.New("it did not answer in time")

// ask sends a request with a deadline.
func ask[T any](ctx context.Context, limit time.Duration, request func(ctx context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errSilent)
	defer cancel()
	out, err := request(ctx)
	if err != nil && context.Cause(ctx) == errSilent {
		err = errSilent
	}
	return out, err
}

// follow lists all containers and follows their events, until the engine does not answer or ctx ends.
func (w *Watcher) follow(ctx context.Context) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	e, err := w.dial()
	if err != nil {
		return err
	}
	defer func() { _ = e.Close() }()
	who, err := ask(ctx, w.pace.answer, e.Identity)
	if err != nil {
		return fmt.Errorf("ask who it is: %w", err)
	}
	in := newInbox()
	overdue := time.AfterFunc(w.pace.answer, func() { end(errSilent) })
	events, ended := e.Events(ctx, time.Now().Add(-w.pace.retry)) // including events between its answer and the subscription
	overdue.Stop()
	go in.drain(ctx, events)
	running, err := ask(ctx, w.pace.answer, e.Running)
	if err != nil {
		return fmt.Errorf("list containers: %w", err)
	}
	in.add(running...)
	w.log.Info("the Docker engine answers", "id", who.ID, "version", who.Version)
	w.update(e, func(s *State) {
		s.Here, s.Why, s.Since, s.Identity = true, "", time.Now(), who
		s.Networks++
		kept := map[string]Container{}
		for _, id := range running {
			if c, ok := s.Containers[id]; ok {
				kept[id] = c
			}
		}
		s.Containers = kept
	})
	return w.keep(ctx, e, in, ended)
}

// keep reads what the inbox names, and regularly pings the engine.
func (w *Watcher) keep(ctx context.Context, e Engine, in *inbox, ended <-chan error) error {
	pulse := time.NewTicker(w.pace.pulse)
	defer pulse.Stop()
	for {
		again := w.refresh(ctx, e, in)
		var retry <-chan time.Time
		if len(again) > 0 {
			retry = time.After(w.pace.retry)
		}
		select {
		case <-in.signal:
			pause(ctx, w.pace.debounce)
		case <-retry:
		case <-pulse.C:
			if _, err := ask(ctx, w.pace.answer, func(ctx context.Context) (struct{}, error) { return struct{}{}, e.Ping(ctx) }); err != nil {
				return err
			}
		case err := <-ended:
			return fmt.Errorf("the stream of events ended: %w", err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		in.add(again...)
	}
}

// refresh reads the containers in the inbox, and returns those that must be read again.
func (w *Watcher) refresh(ctx context.Context, e Engine, in *inbox) (again []string) {
	before := w.State()
	ids, networks := in.drainChanges(before.Containers)
	var mu sync.Mutex
	learnt, gone := map[string]Container{}, []string(nil)
	var group errgroup.Group
	group.SetLimit(together)
	for _, id := range ids {
		group.Go(func() error {
			var has bool
			c, err := ask(ctx, w.pace.answer, func(ctx context.Context) (c Container, err error) {
				c, has, err = e.Container(ctx, id)
				return c, err
			})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				w.log.Debug("the Docker engine did not return a container's state", "container", id, "error", err)
				again = append(again, id)
			case has && c.PID != 0 && len(c.Interfaces) > 0:
				learnt[id] = c
			default:
				gone = append(gone, id)
			}
			return nil
		})
	}
	_ = group.Wait()
	after := maps.Clone(before.Containers)
	maps.Copy(after, learnt)
	for _, id := range gone {
		delete(after, id)
	}
	complete := len(again) == 0
	if networks == 0 && complete == before.Complete && maps.EqualFunc(after, before.Containers, same) {
		return again
	}
	w.update(e, func(s *State) {
		s.Containers, s.Complete = after, complete
		s.Networks += networks
	})
	return again
}

// SPDX-License-Identifier: Apache-2.0

package task

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// stopTimeout is how long Group.Run waits for tasks to end before it logs their names, and the interval of further logs.
const stopTimeout = 5 * time.Second

// Group is a set of tasks that start and end together. It is a Task itself, and is run once.
type Group struct {
	log   *slog.Logger
	tasks []Task
	ready chan struct{}

	mu      sync.Mutex
	running map[Task]bool
}

var _ Task = (*Group)(nil)

// NewGroup returns a group; Run starts its tasks.
func NewGroup(log *slog.Logger, tasks ...Task) *Group {
	return &Group{log: log, tasks: tasks, ready: make(chan struct{}), running: map[Task]bool{}}
}

// Run runs all tasks at once and blocks until every one has ended. The first that fails cancels the rest, and its error is returned with
// the task's name. A task that ends without an error before ctx does has done its work; the others continue. A task that ends with
// ErrStopped ends all of them without an error.
func (g *Group) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go g.watchReady(ctx)
	g.mu.Lock()
	for _, t := range g.tasks {
		g.running[t] = true
	}
	g.mu.Unlock()
	var first error
	var once sync.Once
	var wg sync.WaitGroup
	for _, t := range g.tasks {
		wg.Go(func() {
			err := t.Run(ctx)
			g.mu.Lock()
			delete(g.running, t)
			g.mu.Unlock()
			if err != nil && ctx.Err() == nil {
				once.Do(func() { first = fmt.Errorf("%s: %w", t, err) })
				cancel()
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	g.wait(ctx, done)
	if errors.Is(first, ErrStopped) {
		return nil
	}
	return first
}

// wait blocks until done. Once ctx has ended it logs the tasks that have not, every stopTimeout.
func (g *Group) wait(ctx context.Context, done <-chan struct{}) {
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	tick := time.NewTicker(stopTimeout)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			g.log.Warn("still stopping", "tasks", g.Running())
		}
	}
}

// watchReady closes the group's ready channel when every task is ready.
func (g *Group) watchReady(ctx context.Context) {
	for _, t := range g.tasks {
		select {
		case <-t.Ready():
		case <-ctx.Done():
			return
		}
	}
	close(g.ready)
}

// Ready is closed when every task of the group is ready.
func (g *Group) Ready() <-chan struct{} { return g.ready }

// Waiting names the tasks that are not ready yet, in the order given to NewGroup; it is empty once the group is ready.
func (g *Group) Waiting() []string { return Waiting(g.tasks...) }

// Stage is something that is ready at some time. Every Task is one.
type Stage interface {
	Ready() <-chan struct{}
	String() string
}

// Waiting names the stages that are not ready yet, in their order.
func Waiting[S Stage](stages ...S) []string {
	var names []string
	for _, t := range stages {
		select {
		case <-t.Ready():
			continue
		default:
		}
		if inner, ok := any(t).(*Group); ok {
			names = append(names, inner.Waiting()...)
			continue
		}
		names = append(names, t.String())
	}
	return names
}

// Running names the tasks that have not ended, in the order given to NewGroup.
func (g *Group) Running() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var names []string
	for _, t := range g.tasks {
		if g.running[t] {
			names = append(names, t.String())
		}
	}
	return names
}

func (g *Group) String() string { return fmt.Sprintf("group of %d tasks", len(g.tasks)) }

// Run combines NewGroup and Group.Run.
func Run(ctx context.Context, log *slog.Logger, tasks ...Task) error {
	return NewGroup(log, tasks...).Run(ctx)
}

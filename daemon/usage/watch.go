// SPDX-License-Identifier: Apache-2.0

// Package usage measures how much daemons use of what can run out: file descriptors, memory, processes, disks.
package usage

import (
	"context"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Source measures some resources. It may block, for instance on a file system whose server is away.
type Source func() []model.Resource

// Interval is the time between two measurements.
const Interval = 5 * time.Second

// Watch measures resources, and keeps the last values. Its methods are safe for concurrent use.
type Watch struct {
	sources []Source
	turn    sync.Mutex // one measurement at a time, even if it never ends

	mu   sync.Mutex
	last []model.Resource
}

// NewWatch returns a Watch of the resources of all sources.
func NewWatch(sources ...Source) *Watch { return &Watch{sources: sources} }

// Last returns the values of the last measurement; nothing before the first.
func (w *Watch) Last() []model.Resource {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

// Now measures, and returns the values. It blocks at most until ctx ends, and returns the previous values then, as it does while another
// measurement is in progress.
func (w *Watch) Now(ctx context.Context) []model.Resource {
	if w.turn.TryLock() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer w.turn.Unlock()
			w.measure()
		}()
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
	return w.Last()
}

func (w *Watch) measure() {
	var list []model.Resource
	for _, source := range w.sources {
		list = append(list, source()...)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = list
}

// Run measures at each Interval until ctx ends; then it returns nil.
func (w *Watch) Run(ctx context.Context) error {
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	for {
		w.Now(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

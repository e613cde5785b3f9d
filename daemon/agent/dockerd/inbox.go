// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"context"
	"sync"
)

// inbox collects what must be read again. It receives events as fast as they come: an engine discards events for a slow reader.
type inbox struct {
	signal chan struct{} // holds one when there is something

	mu         sync.Mutex
	containers map[string]struct{} // whose state may have changed
	joined     map[string]struct{} // whose interfaces may have
	networks   uint64              // events about networks
}

func newInbox() *inbox {
	return &inbox{signal: make(chan struct{}, 1), containers: map[string]struct{}{}, joined: map[string]struct{}{}}
}

// drain receives events until ctx ends.
func (b *inbox) drain(ctx context.Context, events <-chan Event) {
	for {
		select {
		case e := <-events:
			b.addEvent(e)
		case <-ctx.Done():
			return
		}
	}
}

func (b *inbox) addEvent(e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.Network {
		b.networks++
	}
	switch {
	case e.Container == "":
	case e.Joined:
		b.joined[e.Container] = struct{}{}
	default:
		b.containers[e.Container] = struct{}{}
	}
	b.wake()
}

// wake fills signal. The caller holds b.mu.
func (b *inbox) wake() {
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

// add adds containers to be read.
func (b *inbox) add(ids ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range ids {
		b.containers[id] = struct{}{}
	}
	if len(ids) > 0 {
		b.wake()
	}
}

// drainChanges empties the inbox. Containers of which only the interfaces have changed count if they run.
func (b *inbox) drainChanges(running map[string]Container) (ids []string, networks uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id := range b.joined {
		if _, ok := running[id]; ok {
			b.containers[id] = struct{}{}
		}
	}
	for id := range b.containers {
		ids = append(ids, id)
	}
	networks = b.networks
	select {
	case <-b.signal:
	default:
	}
	clear(b.joined)
	clear(b.containers)
	b.networks = 0
	return ids, networks
}

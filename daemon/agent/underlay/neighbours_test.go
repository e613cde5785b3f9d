// SPDX-License-Identifier: Apache-2.0

package underlay

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// registry is a list of hosts that changes.
type registry struct {
	mu      sync.Mutex
	addrs   []string
	changed chan struct{}
}

func (r *registry) List() (out []netip.Addr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.addrs {
		out = append(out, netip.MustParseAddr(a))
	}
	return out
}

func (r *registry) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

func (r *registry) set(addrs ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addrs = addrs
	close(r.changed)
	r.changed = make(chan struct{})
}

func TestNeighboursAreGreeted(t *testing.T) {
	r := &registry{addrs: []string{"192.0.2.1", "192.0.2.2"}, changed: make(chan struct{})}
	greeted := make(chan string)
	var refuse error
	var connections atomic.Uint64
	n := &neighbours{ends: r.List, changed: r.Changed, self: netip.MustParseAddr("192.0.2.1"), log: slog.New(slog.DiscardHandler), connections: connections.Load,
		meet:  func(a netip.Addr) error { greeted <- "meet " + a.String(); return refuse },
		greet: func(a netip.Addr) error { greeted <- "greet " + a.String(); return refuse }}
	ctx, cancel := context.WithCancel(context.Background())
	tick, look, done := make(chan time.Time), make(chan time.Time), make(chan error, 1)
	go func() { done <- n.run(ctx, tick, look) }()
	for _, step := range []struct {
		what string
		do   func()
		want []string
	}{
		{"at the start", func() {}, []string{"meet 192.0.2.2"}},
		{"a new host", func() { r.set("192.0.2.2", "192.0.2.3") }, []string{"meet 192.0.2.3"}},
		{"the tick", func() { tick <- time.Time{} }, []string{"greet 192.0.2.2", "greet 192.0.2.3"}},
		{"one goes, one comes", func() { r.set("192.0.2.3"); r.set("192.0.2.3", "192.0.2.4") }, []string{"meet 192.0.2.4"}},
		{"the switch was restarted", func() { connections.Add(1); look <- time.Time{} }, []string{"meet 192.0.2.3", "meet 192.0.2.4"}},
		{"nothing has happened", func() { look <- time.Time{}; look <- time.Time{}; tick <- time.Time{} }, []string{"greet 192.0.2.3", "greet 192.0.2.4"}},
	} {
		step.do()
		var got []string
		for range step.want {
			got = append(got, <-greeted)
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("%s: want %v greeted, got %v", step.what, step.want, got)
		}
	}
	// Without a route a greeting is repeated with each look, but not for ever.
	look <- time.Time{} // the run waits: no one reads refuse
	refuse = errors.New("no route")
	tick <- time.Time{}
	for range 2 {
		<-greeted
	}
	for range maxTries {
		look <- time.Time{}
		for range 2 {
			<-greeted
		}
	}
	look <- time.Time{}
	look <- time.Time{} // taken, so the one before has greeted no one
	cancel()
	if err := <-done; err != nil {
		t.Errorf("run after cancel: want nil, got %v", err)
	}
}

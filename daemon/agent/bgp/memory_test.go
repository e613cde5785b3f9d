// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// Routes of two routers stay while an agent is replaced by another one. A route that its router no longer announces is removed once the
// router has announced all its routes.
func TestRestart(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	own, one := loopbacks()
	own, one = own[:len(own)-1]+"11", one[:len(one)-1]+"12"
	two := one[:len(one)-2] + "13"
	world, other := netip.MustParsePrefix("20.1.0.0/16"), netip.MustParsePrefix("20.2.0.0/16")
	var routers []*outsider
	for i, address := range []string{one, two} {
		routers = append(routers, startOutsider(t, fmt.Sprintf("%s/24 %d %s 65002", address, 500+i, own)))
		routers[i].do(t, "announce "+world.String())
	}
	routers[1].do(t, "announce "+other.String())

	memory := filepath.Join(t.TempDir(), "routes")
	router := record.BGP{Hostname: "h1", RouterIP: own + "/24", AS: "65002", Neighbor: one + "," + two, NeighborAS: "500,501"}
	link := &fakeLink{asked: map[netip.Addr]bool{}}
	state := &fakeState{s: ofnet.NewState("h1")}
	var lost atomic.Bool
	begin := func() *Router {
		records := newRecords()
		records.set(router)
		r := NewRouter(Options{Host: "h1", Tenant: "default", Records: records, Link: link, Log: log, Memory: memory, Mode: func() string { return "routing" },
			Update: func(rev uint64, change func(s *ofnet.State)) {
				had := strings.Contains(state.text(), "20.1.0.0/16")
				state.update(rev, change)
				if had && !strings.Contains(state.text(), "20.1.0.0/16 via "+one) {
					lost.Store(true)
				}
			}})
		state.mu.Lock()
		state.s = ofnet.NewState("h1")
		r.Restore()(state.s)
		state.mu.Unlock()
		return r
	}

	first := begin()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- first.Run(ctx) }()
	both := "20.1.0.0/16 via " + one + "," + two + " known 2"
	eventually(t, "the world is behind both", func() bool {
		return strings.Contains(state.text(), both) && strings.Contains(state.text(), "20.2.0.0/16")
	})
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	routers[1].do(t, "withdraw "+other.String())

	second := begin()
	if text := state.text(); !strings.Contains(text, both) || !strings.Contains(text, "20.2.0.0/16") || !strings.Contains(text, "router "+own) {
		t.Errorf("after a restart: got %s", text)
	}
	if s, err := second.Status(); err != nil || len(s.Kept) != 2 {
		t.Errorf("kept: got %v, %v", s.Kept, err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	go func() { done <- second.Run(ctx) }()
	eventually(t, "all is learned again, and what is not announced any more is gone", func() bool {
		s, err := second.Status()
		return err == nil && len(s.Kept) == 0 && strings.Contains(state.text(), both) && !strings.Contains(state.text(), "20.2.0.0")
	})
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if lost.Load() {
		t.Error("the route to the world was gone for a moment")
	}

	// Kept routes are valid only for the record by which they were learned.
	router.NeighborAS = "500,502"
	begin()
	if text := state.text(); text != "" {
		t.Errorf("after a change of the record: want nothing, got %s", text)
	}
	router.NeighborAS = "500,501"
	for _, damage := range []func(text []byte) []byte{
		func([]byte) []byte { return []byte("{}") },
		func(text []byte) []byte { return bytes.Replace(text, []byte("500"), []byte("501"), 1) },
		func(text []byte) []byte {
			return bytes.Replace(text, []byte("contiv routes 1"), []byte("contiv routes 2"), 1)
		},
	} {
		whole, err := os.ReadFile(memory)
		if err != nil {
			t.Fatal(err)
		}
		if damaged := damage(whole); bytes.Equal(damaged, whole) {
			t.Fatal("want it damaged")
		} else if err := os.WriteFile(memory, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		begin()
		if text := state.text(); text != "" {
			t.Errorf("after damage to the file: want nothing, got %s", text)
		}
		if err := os.WriteFile(memory, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzParseMemory(f *testing.F) {
	f.Add([]byte(`{"Router":{"Tenant":"default","Port":1100,"MAC":[2,0,0,0,0,1],"Addr":"50.1.1.1"},"Hops":[[{"Addr":"50.1.1.200","MAC":[2,0,0,0,0,9]}]],"Routes":{"20.1.0.0/16":0}}`))
	f.Add([]byte(`{"Routes":{"20.1.0.0/16":7}}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseMemory(b)
		if err != nil {
			return
		}
		table := newTable()
		for p, index := range m.Routes {
			table.add(p, m.Hops[index])
		}
		table.number()
		s := ofnet.NewState("h1")
		table.put(s)
		for _, r := range s.Routes.All() {
			if s.NextHops.Get(r.Via) == nil {
				t.Errorf("route %s leads to %q, which is not there", r.Prefix, r.Via)
			}
		}
	})
}

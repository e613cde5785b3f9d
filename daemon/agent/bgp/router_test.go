// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

func TestParse(t *testing.T) {
	good := record.BGP{Hostname: "h1", RouterIP: "50.1.1.2/24", AS: "65002", Neighbor: "50.1.1.200", NeighborAS: "500"}
	c, err := Parse(&good)
	if err != nil || c.Address.String() != "50.1.1.2/24" || c.AS != 65002 || len(c.Peers) != 1 || c.Peers[0].AS != 500 || c.Peers[0].Address.String() != "50.1.1.200" {
		t.Errorf("got %+v, %v", c, err)
	}
	alone := record.BGP{Hostname: "h1", RouterIP: "50.1.1.2/24", AS: "65002"}
	if c, err := Parse(&alone); err != nil || len(c.Peers) != 0 {
		t.Errorf("without a neighbour: got %+v, %v", c, err)
	}
	for field, change := range map[string]func(b *record.BGP){
		"routerip": func(b *record.BGP) { b.RouterIP = "50.1.1.2" }, "as": func(b *record.BGP) { b.AS = "" },
		"neighbor": func(b *record.BGP) { b.Neighbor = "fd01::1" }, "neighbor-as": func(b *record.BGP) { b.NeighborAS = "4294967295" },
		"ttl-security": func(b *record.BGP) { b.Hops = 255 }, "max-prefixes": func(b *record.BGP) { b.Prefixes = -1 },
	} {
		b := good
		change(&b)
		if _, err := Parse(&b); err == nil || !strings.Contains(err.Error(), field+" ") {
			t.Errorf("a bad %s: got %v", field, err)
		}
	}
}

// fakeLink is an interface whose neighbours are known after a request for them.
type fakeLink struct {
	mu      sync.Mutex
	there   bool
	asked   map[netip.Addr]bool
	refused error
}

func (f *fakeLink) Ensure(context.Context, ...netip.Prefix) (uint32, ofnet.MAC, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.there = f.refused == nil
	return 1100, ofnet.MAC{2, 0, 0, 0, 0, 1}, f.refused
}

func (f *fakeLink) Remove(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.there = false
	return nil
}

func (f *fakeLink) Neighbour(a netip.Addr) (mac ofnet.MAC, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return ofnet.MAC{2, 0, 0, 0, 0, 9}, f.asked[a]
}

func (f *fakeLink) Ask(a netip.Addr) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked[a] = true
	return nil
}

// fakeState is the intended state of the switch.
type fakeState struct {
	mu sync.Mutex
	s  *ofnet.State
}

func (f *fakeState) update(_ uint64, change func(s *ofnet.State)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f.s)
}

func (f *fakeState) text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	if f.s.Router != nil {
		out = append(out, "router "+f.s.Router.Addr.String())
	}
	for _, r := range f.s.Routes.All() {
		out = append(out, fmt.Sprintf("%s via %s known %d", r.Prefix, r.Via, len(f.s.NextHops.Get(r.Via).Resolved())))
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// runs runs a Router and returns the function that ends it.
func runs(t *testing.T, r *Router) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}

// loopbacks returns two addresses that only this process uses: nothing else listens at BGP's port there.
func loopbacks() (own, other string) {
	id := os.Getpid() & 0x7fff
	prefix := fmt.Sprintf("127.%d.%d.", 64+id>>8, id&0xff)
	return prefix + "1", prefix + "2"
}

// fakeRecords are the records about host h1 and tenant default.
type fakeRecords struct {
	mu        sync.Mutex
	router    *record.BGP
	addresses []netip.Addr
	changed   chan struct{}
}

func newRecords() *fakeRecords { return &fakeRecords{changed: make(chan struct{})} }

func (f *fakeRecords) BGP(host string) *record.BGP {
	f.mu.Lock()
	defer f.mu.Unlock()
	if host != "h1" {
		return nil
	}
	return f.router
}

func (f *fakeRecords) Announced(tenant string) []netip.Addr {
	f.mu.Lock()
	defer f.mu.Unlock()
	if tenant != "default" {
		return nil
	}
	return f.addresses
}

func (f *fakeRecords) Changed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changed
}

// set changes the record of the router.
func (f *fakeRecords) set(b record.BGP) {
	f.change(func() { f.router = &b })
}

// announce changes the addresses that routers outside reach by the host.
func (f *fakeRecords) announce(texts ...string) {
	f.change(func() {
		f.addresses = nil
		for _, text := range texts {
			f.addresses = append(f.addresses, netip.MustParseAddr(text))
		}
	})
}

func (f *fakeRecords) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	close(f.changed)
	f.changed = make(chan struct{})
}

// A Router exchanges routes with an external speaker, on loopback.
func TestRouter(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	own, other := loopbacks()
	out, err := Start(Config{Address: netip.MustParsePrefix(other + "/24"), AS: 500, Peers: []Peer{{Address: netip.MustParseAddr(own), AS: 65002}}}, log, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := out.Stop(); err != nil {
			t.Error(err)
		}
	}()
	world := netip.MustParsePrefix("20.1.0.0/16")
	for _, p := range []netip.Prefix{netip.MustParsePrefix("169.254.7.0/24"), netip.MustParsePrefix("224.1.0.0/16"), world} { // of which two are no one's to announce
		if err := out.Announce(p); err != nil {
			t.Fatal(err)
		}
	}

	link, state, mode := &fakeLink{asked: map[netip.Addr]bool{}}, &fakeState{s: ofnet.NewState("h1")}, "routing"
	var modeLock sync.Mutex
	records := newRecords()
	r := NewRouter(Options{Host: "h1", Tenant: "default", Update: state.update, Link: link, Log: log, Records: records, Mode: func() string {
		modeLock.Lock()
		defer modeLock.Unlock()
		return mode
	}})
	if _, err := r.Status(); !errors.Is(err, ErrNoRouter) {
		t.Errorf("without a record: want ErrNoRouter, got %v", err)
	}
	defer runs(t, r)()
	records.announce("10.1.0.1")
	records.set(record.BGP{Hostname: "h1", RouterIP: own + "/24", AS: "none"}) // with which no speaker starts
	eventually(t, "why no router runs", func() bool {
		s, err := r.Status()
		return err == nil && s.Error != "" && len(s.Own) == 0
	})
	wrong := record.BGP{Hostname: "h1", RouterIP: own + "/24", AS: "65002", Neighbor: other, NeighborAS: "600"}
	records.set(wrong)
	eventually(t, "a session that cannot be", func() bool {
		s, err := r.Status()
		return err == nil && len(s.Peers) == 1 && s.Peers[0].State.SessionState != "established" && state.text() != ""
	})
	right := wrong
	right.NeighborAS = "500"
	records.set(right)
	learned := fmt.Sprintf("%[2]s/32 via %[2]s known 1; 20.1.0.0/16 via %[2]s known 1; router %[1]s", own, other)
	eventually(t, "the world is known, with its next hop", func() bool { return state.text() == learned })
	s, err := r.Status()
	if err != nil || s.Peers[0].State.SessionState != "established" || s.Peers[0].State.AdminState != "up" || !slices.Equal(s.Dsts, []string{"20.1.0.0/16"}) ||
		!slices.Equal(s.Own, []string{"10.1.0.1/32"}) || len(s.Waiting) != 0 || s.Error != "" {
		t.Errorf("status: got %+v, %v", s, err)
	}
	heard := func() string {
		routes, err := out.Routes()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(routes)
	}
	eventually(t, "outside knows the endpoint", func() bool { return heard() == "map[10.1.0.1/32:["+own+"]]" })
	records.announce("10.1.0.4")
	eventually(t, "outside knows the other endpoint", func() bool { return heard() == "map[10.1.0.4/32:["+own+"]]" })
	records.announce("10.1.0.4", "192.0.2.7", "2001:db8::7")
	eventually(t, "outside knows another address, by the family that the router has", func() bool {
		return heard() == "map[10.1.0.4/32:["+own+"] 192.0.2.7/32:["+own+"]]"
	})
	if s, err := r.Status(); err != nil || !slices.Equal(s.Own, []string{"10.1.0.4/32", "192.0.2.7/32"}) {
		t.Errorf("want both addresses among what is announced, got %v, %v", s.Own, err)
	}
	records.announce("10.1.0.4")
	eventually(t, "and forgets it", func() bool { return heard() == "map[10.1.0.4/32:["+own+"]]" })
	if err := out.Withdraw(world); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the world is gone", func() bool { return !strings.Contains(state.text(), "20.1.0.0") })

	modeLock.Lock()
	mode = "bridge"
	modeLock.Unlock()
	eventually(t, "nothing is left in another mode", func() bool { link.mu.Lock(); defer link.mu.Unlock(); return state.text() == "" && !link.there })
	if _, err := r.Status(); !errors.Is(err, ErrNoRouter) {
		t.Errorf("in mode bridge: want ErrNoRouter, got %v", err)
	}
	link.mu.Lock()
	link.refused = errors.New("no such uplink")
	link.mu.Unlock()
	modeLock.Lock()
	mode = "routing"
	modeLock.Unlock()
	eventually(t, "what is wrong is reported", func() bool {
		s, _ := r.Status()
		return s.Error == "no such uplink"
	})
}

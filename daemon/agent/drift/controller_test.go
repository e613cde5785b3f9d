// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// things is a source in which tests cause differences.
type things struct {
	sort     string
	mu       sync.Mutex
	broken   map[string]string // how, by name
	repaired chan string
	refuse   error
}

func (s *things) Kind() string { return s.sort }

func (s *things) Differences() (out []Difference, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, how := range s.broken {
		out = append(out, Difference{Difference: model.Difference{Owner: "host/h1", What: how}, Thing: name})
	}
	return out, s.refuse
}

func (s *things) Repair(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse != nil {
		return s.refuse
	}
	delete(s.broken, name)
	s.repaired <- name
	return nil
}

func (s *things) damage(name, how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken[name] = how
}

func newThings(sort string) *things {
	return &things{sort: sort, broken: map[string]string{}, repaired: make(chan string, 8)}
}

func newKeeper(leave []string, changed func() <-chan struct{}, sources ...Source) *Controller {
	return New(Options{Sources: sources, Leave: leave, Changed: changed, Interval: time.Hour, Log: slog.New(slog.DiscardHandler)})
}

func TestRunRepairsAndCounts(t *testing.T) {
	ports := newThings(KindPort)
	ports.damage("vx", "changed: port vx")
	changes := make(chan struct{}, 1)
	k := newKeeper(nil, func() <-chan struct{} { return changes }, ports)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- k.Run(ctx) }()
	for _, name := range []string{"vx", "vv1"} {
		if got := <-ports.repaired; got != name {
			t.Errorf("repaired: want %s, got %s", name, got)
		}
		if name == "vx" {
			ports.damage("vv1", "removed: port vv1")
			changes <- struct{}{}
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run after cancel: want nil, got %v", err)
	}
	var found []string
	for _, d := range k.Found() {
		found = append(found, d.Kind+" "+d.What)
	}
	if want := []string{"port changed: port vx", "port removed: port vv1"}; !slices.Equal(found, want) {
		t.Errorf("found: want %q, got %q", want, found)
	}
	if got := k.Counts()[KindPort]; got != 2 {
		t.Errorf("counted: want 2, got %d", got)
	}
}

// hanging is a source whose repair waits for a stopped switch.
type hanging struct{ *things }

func (hanging) Repair(ctx context.Context, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

// A repair that waits for a stopped switch delays neither other repairs nor the end of the controller.
func TestARepairEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped, addresses := hanging{newThings(KindPort)}, newThings(KindAddress)
		stopped.damage("vx", "removed: port vx")
		addresses.damage("contivh0", "changed: interface contivh0")
		k := newKeeper(nil, func() <-chan struct{} { return nil }, stopped, addresses)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- k.Run(ctx) }()
		synctest.Wait() // it is at the first repair
		impatient, end := context.WithTimeout(ctx, time.Second)
		defer end()
		if err := k.Repair(impatient); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("repair while another one is in progress: want it to end with its context, got %v", err)
		}
		if got := <-addresses.repaired; got != "contivh0" {
			t.Errorf("repaired: want contivh0, got %s", got)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestWhatIsLeft(t *testing.T) {
	ports, addresses := newThings(KindPort), newThings(KindAddress)
	k := newKeeper([]string{KindPort}, nil, ports, addresses)
	ports.damage("vx", "changed")
	addresses.damage("contivh0", "removed")
	for range 2 {
		if err := k.look(t.Context(), k.Leave); err != nil {
			t.Fatal(err)
		}
	}
	now, err := k.Check()
	if err != nil || len(now) != 1 || now[0].Kind != KindPort {
		t.Errorf("left: want only the port, got %+v, %v", now, err)
	}
	if got := k.Left(); got != 1 {
		t.Errorf("left: want 1, got %d", got)
	}
	if got := k.Counts(); got[KindPort] != 1 || got[KindAddress] != 1 {
		t.Errorf("one difference that stays is counted once: got %v", got)
	}
	if err := k.Repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now, _ := k.Check(); len(now) != 0 || k.Left() != 0 {
		t.Errorf("after a repair that was asked for: want nothing, got %+v", now)
	}
	ports.refuse = errors.New("no such device")
	ports.damage("vv2", "removed")
	if err := k.Repair(t.Context()); err == nil || !strings.Contains(err.Error(), "no such device") || k.Left() != 1 {
		t.Errorf("a repair that fails: want its error, got %v", err)
	}
}

// A difference with a remedy is for the operator, and reported as long as it exists.
func TestStuck(t *testing.T) {
	k := newKeeper(nil, nil)
	cut := Difference{Difference: model.Difference{Kind: KindPort, What: "removed: interface vv1", Remedy: "recreate it"}, Thing: "vv1"}
	other := Difference{Difference: model.Difference{Kind: KindPort, What: "changed: port vv2"}, Thing: "vv2"}
	for i, list := range [][]Difference{{cut, other}, {cut}, {}, {cut}} {
		k.record(list)
		want := min(len(list), 1)
		if got := k.Stuck(); len(got) != want || want == 1 && got[0] != cut.Difference {
			t.Errorf("look %d: want %d, got %+v", i, want, got)
		}
	}
	if got := k.Counts()[KindPort]; got != 3 {
		t.Errorf("counted once for as long as it is there: want 3, got %d", got)
	}
}

func TestNoMoreIsKeptThanMostKept(t *testing.T) {
	k := newKeeper(nil, nil)
	for i := range maxRecorded + 10 {
		k.record([]Difference{{Difference: model.Difference{Kind: KindPort, What: strings.Repeat("x", i)}, Thing: "p"}})
	}
	if got := k.Found(); len(got) != maxRecorded || len(got[0].What) != 10 {
		t.Errorf("kept: want the last %d, got %d, the first of %d letters", maxRecorded, len(got), len(got[0].What))
	}
}

// drifted is a switch.
type drifted []ovsdb.PortDrift

func (d drifted) Drift() []ovsdb.PortDrift             { return d }
func (d drifted) Repair(context.Context, string) error { return nil }

func TestPortsNameTheirObjects(t *testing.T) {
	p := &Ports{Host: "h1", Switch: drifted{
		{Name: "vx", Endpoint: ovsdb.FixedPort, Was: []string{"options:key=7"}, Want: []string{"options:key=flow"}},
		{Name: "vv1", Endpoint: "default:blue:c1", Gone: true, Want: []string{"type=", "ofport_request=5"}}}}
	got, err := p.Differences()
	if err != nil || len(got) != 2 {
		t.Fatalf("want 2 differences, got %+v, %v", got, err)
	}
	want := []model.Difference{
		{Owner: "host/h1", What: "changed: port vx, options:key", Was: "port vx options:key=7", Want: "port vx options:key=flow"},
		{Owner: "endpoint/default:blue:c1", What: "removed: port vv1", Want: "port vv1 type= ofport_request=5"},
	}
	for i := range want {
		if got[i].Difference != want[i] {
			t.Errorf("want %+v, got %+v", want[i], got[i].Difference)
		}
	}
}

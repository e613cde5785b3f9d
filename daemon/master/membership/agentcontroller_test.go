// SPDX-License-Identifier: Apache-2.0

package membership_test

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/record"
)

// An agent with a session runs, and one without a session counts as stopped after a while. A netmaster that does not answer, and a new
// leader, change nothing before that.
func TestKeeper(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	r := membership.NewRegistrar(w.Commit, func() time.Time { return now }, slog.New(slog.DiscardHandler))
	for i, label := range []string{"h1", "h2"} {
		vtep := netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)})
		if _, _, err := r.Register(t.Context(), record.Host{Label: label, Machine: label, Instance: "s" + label, VTEP: vtep, Port: 4789}); err != nil {
			t.Fatal(err)
		}
	}
	var served []channel.Served
	k := &membership.AgentController{Registrar: r, Catalog: w.Catalog, Served: func(context.Context) []channel.Served { return served }}
	of := func(hosts ...string) (out []channel.Session) {
		for _, h := range hosts {
			out = append(out, channel.Session{Host: h, Instance: "s" + h})
		}
		return out
	}
	for _, step := range []struct {
		name   string
		after  time.Duration
		served []channel.Served
		h1, h2 bool
	}{
		{"a new leader knows of no one yet", 0, nil, true, true},
		{"nor after a while", 9 * time.Second, nil, true, true},
		{"sessions at two netmasters", 2 * time.Second, []channel.Served{{Master: "a", Sessions: of("h1")}, {Master: "b", Sessions: of("h2")}}, true, true},
		{"one less for a moment", 4 * time.Second, []channel.Served{{Master: "a", Sessions: of("h1")}, {Master: "b"}}, true, true},
		{"one less for long", 2 * time.Second, []channel.Served{{Master: "a", Sessions: of("h1")}, {Master: "b"}}, true, false},
		{"a clone's session", 2 * time.Second, []channel.Served{{Master: "a", Sessions: append(of("h1"), channel.Session{Host: "h2", Instance: "another"})}}, true, false},
		{"a session of no host", 2 * time.Second, []channel.Served{{Master: "a", Sessions: of("h1", "h9")}}, true, false},
		{"it is back, at another netmaster", 2 * time.Second, []channel.Served{{Master: "a", Sessions: of("h1", "h2")}}, true, true},
		{"the netmaster of both does not answer", 9 * time.Second, []channel.Served{{Master: "a", Err: errors.New("did not answer")}}, true, true},
		{"and still does not answer", 9 * time.Second, []channel.Served{{Master: "a", Err: errors.New("did not answer")}}, true, true},
		{"it is registered no longer", 4 * time.Second, []channel.Served{{Master: "b"}}, true, true},
		{"nor are they anywhere else", 2 * time.Second, []channel.Served{{Master: "b"}}, false, false},
		{"an agent of an earlier build names no seat", time.Second, []channel.Served{{Master: "b", Sessions: []channel.Session{{Host: "h1"}}}}, true, false},
	} {
		now, served = now.Add(step.after), step.served
		k.Look(t.Context())
		w.Catalog.View(func(v *catalog.View) {
			if h1, h2 := v.Running("h1"), v.Running("h2"); h1 != step.h1 || h2 != step.h2 {
				t.Errorf("%s: want h1 and h2 to run %t, %t, got %t, %t", step.name, step.h1, step.h2, h1, h2)
			}
		})
	}
}

// An agent that has reported its end does not run, although a netmaster has listed its session before, until it is registered again.
func TestEndedAgent(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	r := membership.NewRegistrar(w.Commit, func() time.Time { return now }, slog.New(slog.DiscardHandler))
	host := record.Host{Label: "h1", Machine: "m1", Instance: "s1", VTEP: netip.MustParseAddr("192.0.2.1"), Port: 4789}
	if _, _, err := r.Register(t.Context(), host); err != nil {
		t.Fatal(err)
	}
	ends := true
	k := &membership.AgentController{Registrar: r, Catalog: w.Catalog, Served: func(ctx context.Context) []channel.Served {
		if ends {
			if _, err := r.Leave(ctx, "h1", "s1"); err != nil {
				t.Error(err)
			}
		}
		return []channel.Served{{Master: "a", Sessions: []channel.Session{{Host: "h1", Instance: "s1"}}}}
	}}
	check := func(when string, want bool) {
		t.Helper()
		w.Catalog.View(func(v *catalog.View) {
			if got := v.Running("h1"); got != want {
				t.Errorf("%s: want the agent to run: %t, got %t", when, want, got)
			}
		})
	}
	k.Look(t.Context())
	check("it ends while sessions are listed", false)
	ends = false
	k.Look(t.Context())
	check("its session is still listed", false)
	if _, _, err := r.Register(t.Context(), host); err != nil {
		t.Fatal(err)
	}
	check("it is registered again", true)
	if _, err := r.Leave(t.Context(), "h1", "s1"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(membership.GoneLimit)
	k.Look(t.Context())
	check("a session remains for longer than sessions of ended agents do", true)
}

// An agent that registers while sessions are requested runs, although none is its yet, until it has had time for one.
func TestBegunAgent(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	r := membership.NewRegistrar(w.Commit, func() time.Time { return now }, slog.New(slog.DiscardHandler))
	host := record.Host{Label: "h1", Machine: "m1", Instance: "s1", VTEP: netip.MustParseAddr("192.0.2.1"), Port: 4789}
	register := func() {
		if _, _, err := r.Register(t.Context(), host); err != nil {
			t.Error(err)
		}
	}
	register()
	asked := func() {}
	k := &membership.AgentController{Registrar: r, Catalog: w.Catalog, Served: func(context.Context) []channel.Served {
		asked()
		return nil
	}}
	look := func(when string, want bool) {
		t.Helper()
		k.Look(t.Context())
		w.Catalog.View(func(v *catalog.View) {
			if got := v.Running("h1"); got != want {
				t.Errorf("%s: want the agent to run: %t, got %t", when, want, got)
			}
		})
	}
	look("a new leader", true)
	now, asked = now.Add(membership.GoneLimit), register
	look("it registers while sessions are listed", true)
	now, asked = now.Add(membership.GoneLimit), func() {}
	look("it has no session for long", false)
}

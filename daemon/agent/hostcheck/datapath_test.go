// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/agent/tracker"
	"github.com/contiv/contiv/ofnet"
)

func TestDatapath(t *testing.T) {
	for _, row := range []struct {
		name  string
		lacks ofnet.Abilities
		want  string // in what is found; "": nothing is
	}{
		{"all", 0, ""},
		{"what flows do without", ofnet.NDExtensions, ""},
		{"connections", ofnet.Forgetting, "switch-lacks: Open vSwitch cannot forget single connections (ct_flush)"},
		{"marks", ofnet.NDExtensions | ofnet.Marks, "datapath-lacks: datapath system of Open vSwitch cannot do ct_mark: policies and services do not work"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := &Datapath{Host: "h1", Type: func() string { return "system" }, Unsupported: func() ofnet.Abilities { return row.lacks }}
			got := d.Check().Look(t.Context())
			if row.want == "" {
				if len(got) > 0 {
					t.Errorf("want no finding, got %+v", got)
				}
				return
			}
			if len(got) != 1 || !strings.Contains(got[0].Code.String()+": "+got[0].Evidence, row.want) {
				t.Errorf("want %s, got %+v", row.want, got)
			}
		})
	}
}

func TestTracker(t *testing.T) {
	at := time.Unix(1000, 0)
	for _, row := range []struct {
		name  string
		usage tracker.Usage
		want  []string
	}{
		{"not looked yet", tracker.Usage{}, nil},
		{"room", tracker.Usage{At: at, Count: 79, Limit: 100, Zones: []tracker.Zone{{Tenant: "red", Count: 39, Limit: 50}}}, nil},
		{"80 %", tracker.Usage{At: at, Count: 80, Limit: 100}, []string{"warning tracker-low host/h1"}},
		{"a small limit", tracker.Usage{At: at, Count: 2, Limit: 3, Zones: []tracker.Zone{{Tenant: "blue", Count: 0, Limit: 1}}}, nil},
		{"full", tracker.Usage{At: at, Count: 100, Limit: 100}, []string{"error tracker-full host/h1"}},
		{"it refuses some, and others have ended", tracker.Usage{At: at, Count: 3, Limit: 100, Refused: true}, []string{"error tracker-full host/h1"}},
		{"tenants", tracker.Usage{At: at, Count: 60, Limit: 100, Zones: []tracker.Zone{{Tenant: "blue", Count: 40, Limit: 50}, {Tenant: "red", Count: 50, Limit: 50}}},
			[]string{"warning tracker-low tenant/blue", "error tracker-full tenant/red"}},
		{"no limits", tracker.Usage{At: at, Count: 1, Limit: 100, Unlimited: "refused"}, []string{"note switch-lacks tracker/h1"}},
		{"unknown", tracker.Usage{At: at, Unknown: "timed out"}, []string{"unknown tracker-unknown host/h1"}},
	} {
		c := &Tracker{Host: "h1", Usage: func() tracker.Usage { return row.usage }}
		if got := codes(c.Check().Look(t.Context())); !slices.Equal(got, row.want) {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package health

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// mesh is how three netmasters reach each other well, for a minute.
func mesh() []model.MasterRow {
	all := []string{"192.0.2.1:9999", "192.0.2.2:9999", "192.0.2.3:9999"}
	var out []model.MasterRow
	for _, from := range all {
		r := model.MasterRow{From: from}
		for _, to := range all {
			if to != from {
				ahead := 1.0
				r.Peers = append(r.Peers, model.MasterPeer{To: to, State: model.PairReached, Seconds: 60, RoundTripMillis: 0.5, AheadMillis: &ahead})
			}
		}
		out = append(out, r)
	}
	return out
}

// silence has one netmaster not reach another, for some seconds.
func silence(rows []model.MasterRow, from, to int, seconds float64, arrives bool) {
	*rows[from].Peer(rows[to].From) = model.MasterPeer{To: rows[to].From, State: model.PairSilent, Reason: "i/o timeout", Seconds: seconds, Arrives: arrives}
}

// ahead sets the clock of a netmaster, as all measure it.
func ahead(rows []model.MasterRow, which int, by time.Duration) {
	for i := range rows {
		for j := range rows[i].Peers {
			ms := float64(by.Milliseconds())
			switch p := &rows[i].Peers[j]; {
			case p.To == rows[which].From:
				p.AheadMillis = &ms
			case i == which:
				ms = -ms
				p.AheadMillis = &ms
			}
		}
	}
}

func trip(rows []model.MasterRow, a, b int, millis float64) {
	rows[a].Peer(rows[b].From).RoundTripMillis, rows[b].Peer(rows[a].From).RoundTripMillis = millis, millis
}

func TestPairs(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(rows []model.MasterRow) []model.MasterRow
		want   []string // with a part of the evidence and of the remedy
	}{
		{"all reach each other", func(rows []model.MasterRow) []model.MasterRow { return rows }, nil},
		{"one direction is cut", func(rows []model.MasterRow) []model.MasterRow {
			silence(rows, 0, 2, 9, true)
			silence(rows, 2, 0, 9, false)
			return rows
		}, []string{"error masters-apart masters/192.0.2.1:192.0.2.3: packets of 192.0.2.3:9999 arrive at 192.0.2.1:9999, and those of 192.0.2.1:9999 do not arrive at 192.0.2.3:9999; let packets of 192.0.2.1:9999 to 192.0.2.3:9999 pass"}},
		{"the other direction is cut", func(rows []model.MasterRow) []model.MasterRow {
			silence(rows, 0, 2, 9, false)
			silence(rows, 2, 0, 9, true)
			return rows
		}, []string{"error masters-apart masters/192.0.2.1:192.0.2.3: packets of 192.0.2.1:9999 arrive at 192.0.2.3:9999; let packets of 192.0.2.3:9999 to 192.0.2.1:9999 pass"}},
		{"both directions are cut", func(rows []model.MasterRow) []model.MasterRow {
			silence(rows, 1, 2, 9, false)
			silence(rows, 2, 1, 9, false)
			return rows
		}, []string{"error masters-apart masters/192.0.2.2:192.0.2.3: both run, and do not reach each other: i/o timeout; the other way: i/o timeout; check the network between"}},
		{"a port is closed to one of them", func(rows []model.MasterRow) []model.MasterRow {
			silence(rows, 1, 2, 9, false)
			return rows
		}, []string{"error masters-apart masters/192.0.2.2:192.0.2.3: netmaster 192.0.2.2:9999 does not reach 192.0.2.3:9999, which reaches it; check the network"}},
		{"one refuses the certificate of the other", func(rows []model.MasterRow) []model.MasterRow {
			*rows[1].Peer(rows[2].From) = model.MasterPeer{To: rows[2].From, State: model.PairUntrusted, Reason: "the certificate of spiffe://contiv/master/h3 expired at 2026-01-01", Seconds: 9}
			return rows
		}, []string{"error masters-apart masters/192.0.2.2:192.0.2.3: master/h3 expired at; compare the clocks"}},
		{"they are cut for a moment", func(rows []model.MasterRow) []model.MasterRow {
			silence(rows, 1, 2, 7, false)
			silence(rows, 2, 1, 9, false)
			return rows
		}, nil},
		{"one is reached again, which the other one does not know yet", func(rows []model.MasterRow) []model.MasterRow {
			silence(rows, 1, 2, 90, false)
			rows[2].Peer(rows[1].From).Seconds = 1
			return rows
		}, nil},
		{"one has ended", func(rows []model.MasterRow) []model.MasterRow {
			silence(rows, 0, 2, 20, false)
			silence(rows, 1, 2, 20, false)
			rows[2].AgeMillis = 21000
			return rows
		}, nil},
		{"one is not expected by another yet", func(rows []model.MasterRow) []model.MasterRow {
			rows[2].Peers = nil
			return rows
		}, nil},
		{"a long way", func(rows []model.MasterRow) []model.MasterRow {
			trip(rows, 0, 1, 120)
			return rows
		}, []string{"warning masters-slow masters/192.0.2.1:192.0.2.2: takes at least 120 ms; check"}},
		{"too long a way", func(rows []model.MasterRow) []model.MasterRow {
			trip(rows, 0, 1, 600)
			return rows
		}, []string{"error masters-slow masters/192.0.2.1:192.0.2.2: elect no leader; check"}},
		{"a busy machine", func(rows []model.MasterRow) []model.MasterRow {
			rows[0].Peer(rows[1].From).RoundTripMillis = 600
			return rows
		}, nil},
		{"a long way, measured for a moment", func(rows []model.MasterRow) []model.MasterRow {
			trip(rows, 0, 1, 600)
			rows[0].Peers[0].Seconds, rows[1].Peers[0].Seconds = 4, 4
			return rows
		}, nil},
		{"a clock of three", func(rows []model.MasterRow) []model.MasterRow {
			ahead(rows, 0, 40*time.Second)
			return rows
		}, []string{"warning master-clock master/192.0.2.1: is 40s ahead of; NTP"}},
		{"a clock that is far behind", func(rows []model.MasterRow) []model.MasterRow {
			ahead(rows, 2, -time.Hour)
			return rows
		}, []string{"error master-clock master/192.0.2.3: is 1h0m0s behind; NTP"}},
		{"a clock of two", func(rows []model.MasterRow) []model.MasterRow {
			rows = rows[:2]
			rows[0].Peers, rows[1].Peers = rows[0].Peers[:1], rows[1].Peers[:1]
			ahead(rows, 1, -31*time.Second)
			return rows
		}, []string{"warning master-clock masters/192.0.2.1:192.0.2.2: differ by 31s; both machines"}},
		{"a clock that is right enough", func(rows []model.MasterRow) []model.MasterRow {
			ahead(rows, 1, 29*time.Second)
			return rows
		}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &Snapshot{Pairs: row.change(mesh())}
			got := slices.Concat(apart(s), slow(s), clocks(s))
			if len(got) != len(row.want) {
				t.Fatalf("want %q, got %+v", row.want, got)
			}
			for i, f := range got {
				head, rest, _ := strings.Cut(row.want[i], ": ")
				evidence, remedy := rest, rest
				if at := strings.LastIndex(rest, "; "); at >= 0 {
					evidence, remedy = rest[:at], rest[at+2:]
				}
				if have := string(f.Severity) + " " + f.Code.String() + " " + f.Object; have != head || !strings.Contains(f.Evidence, evidence) || !strings.Contains(f.Remedy, remedy) {
					t.Errorf("want %q, got %+v", row.want[i], f)
				}
			}
		})
	}
}

// Two netmasters that do not reach each other explain what the one that is asked does not hear of the other, and nothing of a third one.
func TestApartExplains(t *testing.T) {
	list := []model.Finding{
		finding(t, "error masters-apart masters/192.0.2.1:192.0.2.3 to 192.0.2.1,192.0.2.3"), finding(t, "warning master-silent master/192.0.2.3"), finding(t, "unknown leader-unknown cluster/leader"),
		finding(t, "warning master-silent master/192.0.2.2"), finding(t, "error agent-silent host/h3"),
	}
	want := []string{"error masters-apart masters/192.0.2.1:192.0.2.3 +2", "error agent-silent host/h3", "warning master-silent master/192.0.2.2",
		"  warning master-silent master/192.0.2.3 < masters-apart masters/192.0.2.1:192.0.2.3", "  unknown leader-unknown cluster/leader < masters-apart masters/192.0.2.1:192.0.2.3"}
	if got := folded(Fold(list, three())); !slices.Equal(got, want) {
		t.Errorf("want %q, got %q", want, got)
	}
}

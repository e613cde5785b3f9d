// SPDX-License-Identifier: Apache-2.0

package pairs

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/sanitize"
)

const (
	window   = 5                // last measurements of which the quickest counts
	keepTime = 30 * time.Second // for how long the row of a netmaster stays that no longer reports
	maxRows  = 32               // rows, and netmasters in each
	maxText  = 300              // bytes of an address or a reason
)

// sample is a measurement of a netmaster that answers.
type sample struct {
	roundTrip time.Duration
	ahead     time.Duration // by which its clock is ahead
	clock     bool          // its clock is known
	rows      []model.MasterRow
}

// measured is what this netmaster knows of another one.
type measured struct {
	model.MasterPeer // without what changes with the time
	since            time.Time
	last             []sample // the newest last, without their rows
}

// reported is the row of another netmaster.
type reported struct {
	row model.MasterRow
	at  time.Time
}

// table has the measurements of all netmasters. Its methods do not block.
type table struct {
	from string

	mu     sync.Mutex
	peers  map[string]*measured // by address; nil: not measured yet
	others map[string]reported
}

func newTable(own string) *table {
	return &table{from: own, peers: map[string]*measured{}, others: map[string]reported{}}
}

// expect sets the netmasters that the own row has.
func (t *table) expect(addresses []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for address := range t.peers {
		if !slices.Contains(addresses, address) {
			delete(t.peers, address)
		}
	}
	for _, address := range addresses {
		if _, ok := t.peers[address]; !ok {
			t.peers[address] = nil
		}
	}
}

// record stores a measurement of a netmaster and returns the state that it had before; "": none. It ignores one that is not expected.
func (t *table) record(address string, found model.MasterPeer, got sample, now time.Time) (was model.PairState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m, ok := t.peers[address]
	if !ok {
		return found.State
	}
	if m == nil {
		m = &measured{since: now}
		t.peers[address] = m
	}
	if was = m.State; was != found.State {
		m.since, m.last = now, nil
	}
	m.MasterPeer = found
	m.To = address
	if found.State == model.PairReached {
		got.rows = nil
		m.last = append(m.last, got)
		m.last = m.last[max(0, len(m.last)-window):]
	}
	return was
}

// merge adds the rows that another netmaster has answered, unless newer ones are known. It cleans them first.
func (t *table) merge(rows []model.MasterRow, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, row := range cleaned(rows) {
		at := now.Add(-time.Duration(row.AgeMillis) * time.Millisecond)
		if row.From == t.from || now.Sub(at) > keepTime || at.Before(t.others[row.From].at) {
			continue
		}
		if _, known := t.others[row.From]; known || len(t.others) < maxRows {
			t.others[row.From] = reported{row, at}
		}
	}
}

// cleaned returns the rows of another netmaster without what no netmaster reports.
func cleaned(rows []model.MasterRow) []model.MasterRow {
	rows = slices.Clone(rows[:min(len(rows), maxRows)])
	for i := range rows {
		r := &rows[i]
		r.AgeMillis = min(max(r.AgeMillis, 0), (2 * keepTime).Milliseconds())
		r.Peers = slices.Clone(r.Peers[:min(len(r.Peers), maxRows)])
	}
	sanitize.Fields(&rows, maxText)
	return rows
}

// own returns the row of this netmaster.
func (t *table) own(now time.Time) model.MasterRow {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.row(now)
}

// row is own for a caller that holds mu.
func (t *table) row(now time.Time) model.MasterRow {
	out := model.MasterRow{From: t.from, Peers: []model.MasterPeer{}}
	for _, m := range t.peers {
		if m == nil {
			continue
		}
		one := m.MasterPeer
		one.Seconds = now.Sub(m.since).Seconds()
		if len(m.last) > 0 { // the quickest had the fewest queues on its way, so that its clock is the most exact, too
			best := slices.MinFunc(m.last, func(a, b sample) int { return cmp.Compare(a.roundTrip, b.roundTrip) })
			one.RoundTripMillis = millis(best.roundTrip)
			if best.clock {
				ahead := millis(best.ahead)
				one.AheadMillis = &ahead
			}
		}
		out.Peers = append(out.Peers, one)
	}
	slices.SortFunc(out.Peers, func(a, b model.MasterPeer) int { return cmp.Compare(a.To, b.To) })
	return out
}

// snapshot returns all rows, and forgets those of netmasters that have not reported for long.
func (t *table) snapshot(now time.Time) model.MasterPairs {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := model.MasterPairs{At: now, Rows: []model.MasterRow{t.row(now)}}
	for from, r := range t.others {
		age := now.Sub(r.at)
		if age > keepTime {
			delete(t.others, from)
			continue
		}
		row := r.row
		row.AgeMillis = age.Milliseconds()
		row.Peers = slices.Clone(row.Peers)
		for i := range row.Peers {
			row.Peers[i].Seconds += age.Seconds()
		}
		out.Rows = append(out.Rows, row)
	}
	slices.SortFunc(out.Rows, func(a, b model.MasterRow) int { return cmp.Compare(a.From, b.From) })
	return out
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

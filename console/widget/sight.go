package widget

import (
	"slices"
	"time"
)

// sight is how a row looked when it was last drawn.
type sight struct {
	at      time.Time
	cells   []string
	changed []time.Time // when each cell changed; nil: none did
	last    time.Time   // of changed
}

// look notes how a row looks now and tells which of its cells changed a moment ago.
func (t *Table) look(r Row, now time.Time) []bool {
	if t.seen == nil {
		t.seen = map[string]*sight{}
	}
	s := t.seen[r.ID]
	if s == nil || len(s.cells) != len(r.Cells) {
		s = &sight{cells: slices.Clone(r.Cells)}
		t.seen[r.ID] = s
	}
	s.at = now
	for i, c := range r.Cells {
		if t.Restless > 0 && i >= t.Restless-1 {
			break
		}
		if c != s.cells[i] && unheard(s.cells[i]) { // the first value is none that changed
			s.cells[i] = c
		}
		if c != s.cells[i] {
			if s.changed == nil {
				s.changed = make([]time.Time, len(r.Cells))
			}
			s.cells[i], s.changed[i], s.last = c, now, now
		}
	}
	if s.last.IsZero() || now.Sub(s.last) >= glow {
		return nil
	}
	fresh := make([]bool, len(r.Cells))
	for i, at := range s.changed {
		fresh[i] = !at.IsZero() && now.Sub(at) < glow
	}
	return fresh
}

// forget drops what has been out of sight, so that it does not glow when it comes back.
func (t *Table) forget(now time.Time) {
	for id, s := range t.seen {
		if now.Sub(s.at) > hold {
			delete(t.seen, id)
		}
	}
}

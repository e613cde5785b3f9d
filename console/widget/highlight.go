// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"slices"
	"time"

	"github.com/contiv/contiv/sortkey"
)

const (
	highlightFor = 2 * time.Second // how long a changed cell is marked
	forgetAfter  = 3 * time.Second // out of view
)

// highlights marks cells that changed a moment ago. Its zero value is ready for use.
type highlights struct {
	// Volatile is the number of the first column, from 1, that changes all the time: neither it nor those after it are marked; 0: all are.
	Volatile int
	rows     map[string]*seenRow
}

// seenRow is a row as it was last drawn.
type seenRow struct {
	at      time.Time
	cells   []string
	changed []time.Time // when each cell changed; nil: none did
	last    time.Time   // of changed
}

// see records the current text of a row and returns which of its cells changed a moment ago; nil: none did.
func (h *highlights) see(id string, cells []string, now time.Time) []bool {
	if h.rows == nil {
		h.rows = map[string]*seenRow{}
	}
	s := h.rows[id]
	if s == nil || len(s.cells) != len(cells) {
		s = &seenRow{cells: slices.Clone(cells)}
		h.rows[id] = s
	}
	s.at = now
	for i, c := range cells {
		if h.Volatile > 0 && i >= h.Volatile-1 {
			break
		}
		switch {
		case c == s.cells[i]:
			continue
		case !sortkey.Unset(s.cells[i]): // a first value is no change
			if s.changed == nil {
				s.changed = make([]time.Time, len(cells))
			}
			s.changed[i], s.last = now, now
		}
		s.cells[i] = c
	}
	if s.last.IsZero() || now.Sub(s.last) >= highlightFor {
		return nil
	}
	fresh := make([]bool, len(cells))
	for i, at := range s.changed {
		fresh[i] = !at.IsZero() && now.Sub(at) < highlightFor
	}
	return fresh
}

// forget drops rows that have not been drawn for a while, so that they are not marked when they come back.
func (h *highlights) forget(now time.Time) {
	for id, s := range h.rows {
		if now.Sub(s.at) > forgetAfter {
			delete(h.rows, id)
		}
	}
}

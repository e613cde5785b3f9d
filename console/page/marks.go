package page

import (
	"slices"

	"github.com/contiv/contiv/console/widget"
)

// marks are the rows that the user marked, by ID, in that order. They stay while rows are sorted, filtered and made
// anew; a row that is gone counts no more.
type marks struct {
	ids []string
	of  map[string]bool
}

func (m *marks) has(id string) bool { return m.of[id] }

// key marks the selected row, or takes its mark away, or all marks; it tells whether the key was for it.
func (m *marks) key(key string, selected widget.Row, ok bool) bool {
	switch key {
	case "space":
		if ok {
			m.turn(selected.ID)
		}
	case "ctrl+space", "ctrl+@", "\\":
		*m = marks{}
	default:
		return false
	}
	return true
}

func (m *marks) turn(id string) {
	if m.of == nil {
		m.of = map[string]bool{}
	}
	if m.of[id] {
		delete(m.of, id)
		m.ids = slices.DeleteFunc(m.ids, func(x string) bool { return x == id })
		return
	}
	m.of[id] = true
	m.ids = append(m.ids, id)
}

// those are the marked IDs that are still there, in the order in which they were marked.
func (m *marks) those(there func(id string) bool) []string {
	return slices.DeleteFunc(slices.Clone(m.ids), func(id string) bool { return !there(id) })
}

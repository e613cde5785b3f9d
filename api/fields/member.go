package fields

import "bytes"

// mostMembers is how many members are remembered; those of an object that has more are found out anew each time.
const mostMembers = 64

// member is what is remembered of the members of a name. The objects of a list are much alike: most have the same members in the
// same order, and many of their values are the same, which is found out much sooner than where a value ends.
type member struct {
	name   []byte // as it stands in the text, up to the colon
	wanted []int  // the places of its values in Each's list
	last   []byte // its last value, part of the text, when that is a string, an object or a list; nil: not known
	object int    // the last object that had it; 1 is the first
}

// members are those that were met before.
type members struct {
	known  []member
	likely int   // the one that is probably next
	passed int64 // of the window, when the last values were part of its text
}

// begin makes ready for an object in a window.
func (m *members) begin(w *window) {
	m.likely = 0
	if m.passed == w.passed {
		return
	}
	m.passed = w.passed // the text has moved
	for i := range m.known {
		m.known[i].last = nil
	}
}

// find returns the member whose name a text begins with, nil when none is known.
func (m *members) find(text []byte) *member {
	for range m.known {
		if m.likely >= len(m.known) {
			m.likely = 0
		}
		found := &m.known[m.likely]
		m.likely++
		if bytes.HasPrefix(text, found.name) {
			return found
		}
	}
	return nil
}

// meet returns the member of a name, which is in quotes. It remembers it, if there is room.
func (m *members) meet(quoted []byte, names []string) *member {
	name := append(append(make([]byte, 0, len(quoted)+1), quoted...), ':')
	if found := m.find(name); found != nil { // there was white space
		return found
	}
	met := member{name: name}
	for i, n := range names {
		if n == string(quoted[1:len(quoted)-1]) {
			met.wanted = append(met.wanted, i)
		}
	}
	if len(m.known) == mostMembers {
		return &met
	}
	m.known = append(m.known, met)
	m.likely = len(m.known)
	return &m.known[len(m.known)-1]
}

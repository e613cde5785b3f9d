package fields

import (
	"bytes"
	"slices"
)

// mostLessons is how many objects that do not fit the pattern are learned from: a list without one is read as if there were none.
const mostLessons = 256

// longest is how long an object may be, in bytes, to be learned from: what helps with many costs memory with a few long ones.
const longest = 4 << 10

// pattern is what the objects of a list have in common, found out from those that did not fit: most lists are of objects with the
// same members in the same order, of which many have the same value, too. To compare all of that at once takes a fraction of
// finding out where each name and value ends.
type pattern struct {
	glue   [][]byte // what stands before each value that varies, and behind the last; nil: there is no pattern
	wanted [][]int  // of each value that varies, its places in Each's list
	fixed  [][]byte // what stands in the other places, nil where nothing does
	same   []bool   // which are the other places
	met    bool     // an object was read by it

	text    []byte // the object that was learned last
	values  []value
	varied  []bool // which of its values were found to vary
	lessons int
}

// value is where the value of a member is in an object, and its places in Each's list.
type value struct {
	from, to int
	wanted   []int
}

// read reads an object that fits; otherwise it returns false and leaves s where it is.
func (p *pattern) read(s *scanner, values [][]byte, same []bool) bool {
	if p.glue == nil {
		return false
	}
	from := s.at
	copy(values, p.fixed)
	for i, glue := range p.glue {
		if !bytes.HasPrefix(s.text[s.at:], glue) {
			s.at = from
			return false
		}
		s.at += len(glue)
		if i == len(p.wanted) {
			break
		}
		value, ok := s.value()
		if !ok {
			s.at = from
			return false
		}
		for _, place := range p.wanted[i] {
			values[place] = value
		}
	}
	if clear(same); p.met { // what the object before had there was p's, too, so it can still be used
		copy(same, p.same)
	}
	p.met = true
	return true
}

// learn changes the pattern so that an object fits which did not, if it is like the one that was learned before, and otherwise
// makes a new one of it.
func (p *pattern) learn(object []byte, values []value, places int) {
	p.met = false
	if p.lessons == mostLessons || len(object) > longest {
		return
	}
	p.lessons++
	text, values := bytes.Clone(object), slices.Clone(values)
	if p.alike(text, values) {
		for i, v := range values {
			if before := p.values[i]; !bytes.Equal(text[v.from:v.to], p.text[before.from:before.to]) {
				p.varied[i] = true
			}
		}
	} else {
		p.varied = make([]bool, len(values))
	}
	p.text, p.values = text, values
	p.glue, p.wanted, p.fixed, p.same = nil, nil, make([][]byte, places), slices.Repeat([]bool{true}, places)
	taken, from := make([]bool, places), 0
	for i, v := range values {
		for _, place := range v.wanted {
			if taken[place] { // a member that is there twice
				p.glue = nil
				return
			}
			taken[place] = true
			if p.same[place] = !p.varied[i]; p.same[place] {
				p.fixed[place] = text[v.from:v.to]
			}
		}
		if p.varied[i] {
			p.glue, p.wanted, from = append(p.glue, text[from:v.from]), append(p.wanted, v.wanted), v.to
		}
	}
	p.glue = append(p.glue, text[from:])
}

// alike tells whether an object differs in values alone from the one that was learned last.
func (p *pattern) alike(text []byte, values []value) bool {
	if len(values) != len(p.values) {
		return false
	}
	end, before := 0, 0
	for i, v := range values {
		if !bytes.Equal(text[end:v.from], p.text[before:p.values[i].from]) {
			return false
		}
		end, before = v.to, p.values[i].to
	}
	return bytes.Equal(text[end:], p.text[before:])
}

package fields

import "bytes"

// scanner reads objects. Its methods are false where the text cannot go on so, or, with at at its end, where it is not all
// there yet.
type scanner struct {
	window
	members
	objects int    // how many have begun
	absent  []bool // which values the last one lacked
}

// whole reads an object, however much of it has come.
func (s *scanner) whole(names []string, values [][]byte, same []bool) bool {
	s.objects++
	for {
		from := s.at
		clear(values)
		if s.object(names, values, same) {
			for i, v := range values {
				if v == nil {
					same[i] = s.absent[i]
				}
				s.absent[i] = v == nil
			}
			return true
		}
		if s.at < len(s.text) || !s.more(from) {
			return false
		}
		s.at = 0
	}
}

// object reads an object, whose bracket is next, and keeps the values of those members that names has.
func (s *scanner) object(names []string, values [][]byte, same []bool) bool {
	s.begin(&s.window)
	s.at++ // its bracket
	if s.peek() == '}' {
		s.at++
		return true
	}
	for {
		m, ok := s.member(names)
		if !ok {
			return false
		}
		value, as, ok := s.valueOf(m)
		if !ok {
			return false
		}
		for _, i := range m.wanted {
			values[i], same[i] = value, as
		}
		switch s.peek() {
		case ',':
			s.at++
		case '}':
			s.at++
			return true
		default:
			return false
		}
	}
}

// member reads a member's name and its colon.
func (s *scanner) member(names []string) (*member, bool) {
	if m := s.find(s.text[s.at:]); m != nil {
		s.at += len(m.name)
		return m, true
	}
	name, ok := s.quoted()
	if !ok || s.peek() != ':' {
		return nil, false
	}
	s.at++
	return s.meet(name, names), true
}

// valueOf reads the value of a member. same tells that it is as in the object before.
func (s *scanner) valueOf(m *member) (value []byte, same, ok bool) {
	before := m.object == s.objects-1
	m.object = s.objects
	if m.last != nil && bytes.HasPrefix(s.text[s.at:], m.last) {
		s.at += len(m.last)
		return m.last, before, true
	}
	value, ok = s.value()
	if m.last = nil; ok && (value[0] == '"' || value[0] == '{' || value[0] == '[') { // others may go on
		m.last = value
	}
	return value, false, ok
}

// peek passes over white space and returns the character behind it, which it leaves; 0 at the end of the text.
func (s *scanner) peek() byte {
	if s.at < len(s.text) && s.text[s.at] > ' ' {
		return s.text[s.at]
	}
	return s.spaced()
}

// spaced is peek where there may be white space.
func (s *scanner) spaced() byte {
	for ; s.at < len(s.text); s.at++ {
		if c := s.text[s.at]; !space(c) {
			return c
		}
	}
	return 0
}

// quoted reads a string and returns it with its quotes.
func (s *scanner) quoted() ([]byte, bool) {
	if s.peek() != '"' {
		return nil, false
	}
	text, from := s.text, s.at
	for at := from + 1; at < len(text); at++ {
		if c := text[at]; c == '"' {
			s.at = at + 1
			return text[from:s.at], true
		} else if c == '\\' {
			at++
		}
	}
	s.at = len(text)
	return nil, false
}

// value reads any value.
func (s *scanner) value() ([]byte, bool) {
	c := s.peek()
	from, ok := s.at, false
	switch c {
	case '"':
		return s.quoted()
	case '{', '[':
		ok = s.nested()
	default:
		ok = s.word()
	}
	return s.text[from:s.at], ok
}

// nested passes over an object or a list. Brackets inside of it are counted, so that depth costs nothing.
func (s *scanner) nested() bool {
	text, depth := s.text, 0
	for at := s.at; at < len(text); at++ {
		switch text[at] {
		case '"':
			for at++; at < len(text) && text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.at = at + 1
				return true
			}
		}
	}
	s.at = len(text)
	return false
}

// word passes over a number, true, false or null.
func (s *scanner) word() bool {
	from := s.at
	for ; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E') {
			break
		}
	}
	return s.at > from
}

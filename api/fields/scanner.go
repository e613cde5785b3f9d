package fields

import "bytes"

// scanner reads objects. Its methods are false where the text cannot go on so, or, with at at its end, where it is not all
// there yet.
type scanner struct {
	window
	pattern pattern
	met     []value // the values of the object that is read, from its beginning
}

// whole reads an object, however much of it has come, and marks those values that are as in the one before.
func (s *scanner) whole(names []string, values [][]byte, same []bool) bool {
	for {
		if s.pattern.read(s, values, same) {
			return true
		}
		from := s.at
		clear(values)
		if s.object(names, values) {
			clear(same)
			s.pattern.learn(s.text[from:s.at], s.met, len(names))
			return true
		}
		if s.at < len(s.text) || !s.more(from) {
			return false
		}
		s.at = 0
	}
}

// object reads an object, whose bracket is next, and keeps the values of those members that names has.
func (s *scanner) object(names []string, values [][]byte) bool {
	from := s.at
	s.met = s.met[:0]
	s.at++ // its bracket
	if s.peek() == '}' {
		s.at++
		return true
	}
	for {
		name, ok := s.quoted()
		if !ok || s.peek() != ':' {
			return false
		}
		s.at++
		text, ok := s.value()
		if !ok {
			return false
		}
		met := value{from: s.at - len(text) - from, to: s.at - from}
		for i, n := range names {
			if len(n) == len(name)-2 && string(name[1:len(name)-1]) == n {
				values[i] = text
				met.wanted = append(met.wanted, i)
			}
		}
		s.met = append(s.met, met)
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
	from := s.at
	for at := from + 1; ; {
		n := bytes.IndexByte(s.text[at:], '"')
		if n < 0 {
			break
		}
		if at += n + 1; !escaped(s.text[from+1 : at-1]) {
			s.at = at
			return s.text[from:at], true
		}
	}
	s.at = len(s.text)
	return nil, false
}

// escaped tells whether what follows a part of a string is escaped: an odd number of backslashes stands before it.
func escaped(part []byte) bool {
	odd := false
	for i := len(part) - 1; i >= 0 && part[i] == '\\'; i-- {
		odd = !odd
	}
	return odd
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

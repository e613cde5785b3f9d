package fields

// scanner reads objects. Its methods are false where the text cannot go on so, or, with at at its end, where it is not all
// there yet.
type scanner struct{ window }

// whole reads an object, however much of it has come.
func (s *scanner) whole(names []string, values [][]byte) bool {
	for {
		from := s.at
		clear(values)
		if s.object(names, values) {
			return true
		}
		if s.at < len(s.text) || !s.more(from) {
			return false
		}
		s.at = 0
	}
}

// object reads an object and keeps the values of those members that names has.
func (s *scanner) object(names []string, values [][]byte) bool {
	if !s.is('{') {
		return false
	}
	if s.is('}') {
		return true
	}
	for {
		name, ok := s.quoted()
		if !ok || !s.is(':') {
			return false
		}
		value, ok := s.value()
		if !ok {
			return false
		}
		for i, n := range names {
			if string(name[1:len(name)-1]) == n {
				values[i] = value
			}
		}
		if s.is('}') {
			return true
		}
		if !s.is(',') {
			return false
		}
	}
}

// is passes over one character and the space before it, if it is next.
func (s *scanner) is(c byte) bool {
	for s.at < len(s.text) && space(s.text[s.at]) {
		s.at++
	}
	if s.at >= len(s.text) || s.text[s.at] != c {
		return false
	}
	s.at++
	return true
}

// quoted reads a string and returns it with its quotes.
func (s *scanner) quoted() ([]byte, bool) {
	if !s.is('"') {
		return nil, false
	}
	text, from := s.text, s.at-1
	for at := s.at; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			s.at = at + 1
			return text[from:s.at], true
		}
	}
	s.at = len(text)
	return nil, false
}

// value reads any value.
func (s *scanner) value() ([]byte, bool) {
	for s.at < len(s.text) && space(s.text[s.at]) {
		s.at++
	}
	if s.at >= len(s.text) {
		return nil, false
	}
	from, ok := s.at, false
	switch s.text[from] {
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
	text, depth, inString := s.text, 0, false
	for at := s.at; at < len(text); at++ {
		switch c := text[at]; {
		case inString:
			if c == '\\' {
				at++
			}
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
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

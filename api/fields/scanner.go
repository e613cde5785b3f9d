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

// value reads any value. Brackets inside of it are counted, so that depth costs nothing.
func (s *scanner) value() ([]byte, bool) {
	for s.at < len(s.text) && space(s.text[s.at]) {
		s.at++
	}
	from, depth := s.at, 0
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case '"':
			if _, ok := s.quoted(); !ok {
				return nil, false
			}
		case '{', '[':
			depth++
			s.at++
			continue
		case '}', ']':
			if depth == 0 {
				return nil, false
			}
			depth--
			s.at++
		default:
			if depth > 0 && (c == ',' || c == ':' || space(c)) {
				s.at++
				continue
			}
			if !s.word() {
				return nil, false
			}
		}
		if depth == 0 {
			return s.text[from:s.at], true
		}
	}
	return nil, false
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

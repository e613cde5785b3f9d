// Package fields reads a few members of JSON objects and passes over the rest, without memory of its own: for tables of
// lists that are much longer than what is shown of them.
package fields

import (
	"fmt"
	"strings"
)

// Each calls take with every object of a JSON list: the JSON texts of the members called names, "" of one that is absent.
// The texts are parts of list; the slice is used again. It ends with take's error, or with one that says where list is not a
// list of objects. What is passed over must be closed, but is not checked further. A member that is there twice counts the
// last time, names with escapes match nothing.
func Each(list string, names []string, take func(values []string) error) error {
	s := scanner{text: list}
	values := make([]string, len(names))
	err := s.each('[', ']', func() error {
		clear(values)
		if err := s.each('{', '}', func() error { return s.member(names, values) }); err != nil {
			return err
		}
		return take(values)
	})
	if err == nil && s.space() < len(list) {
		err = s.unexpected()
	}
	return err
}

// Text is the value of a JSON string without escapes; false of any other text.
func Text(value string) (string, bool) {
	if len(value) < 2 || value[0] != '"' || strings.IndexByte(value, '\\') >= 0 {
		return "", false
	}
	return value[1 : len(value)-1], true
}

// scanner is a place in a JSON text.
type scanner struct {
	text string
	at   int
}

// space passes over white space and returns the place.
func (s *scanner) space() int {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\n' || s.text[s.at] == '\t' || s.text[s.at] == '\r') {
		s.at++
	}
	return s.at
}

func (s *scanner) unexpected() error {
	if s.at >= len(s.text) {
		return fmt.Errorf("unexpected end of JSON after %d bytes", len(s.text))
	}
	return fmt.Errorf("unexpected %q in JSON at byte %d", s.text[s.at], s.at)
}

// is passes over one character, if it is next.
func (s *scanner) is(c byte) bool {
	if s.space() >= len(s.text) || s.text[s.at] != c {
		return false
	}
	s.at++
	return true
}

// each calls item at every element between two brackets.
func (s *scanner) each(begin, end byte, item func() error) error {
	if !s.is(begin) {
		return s.unexpected()
	}
	if s.is(end) {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if s.is(end) {
			return nil
		}
		if !s.is(',') {
			return s.unexpected()
		}
	}
}

// member reads a name and its value, and keeps the value if names has the name.
func (s *scanner) member(names, values []string) error {
	name, err := s.quoted()
	if err != nil {
		return err
	}
	if !s.is(':') {
		return s.unexpected()
	}
	value, err := s.value()
	if err != nil {
		return err
	}
	for i, n := range names {
		if len(n) == len(name)-2 && n == name[1:len(name)-1] {
			values[i] = value
		}
	}
	return nil
}

// quoted reads a string and returns it with its quotes.
func (s *scanner) quoted() (string, error) {
	from := s.space()
	if from >= len(s.text) || s.text[from] != '"' {
		return "", s.unexpected()
	}
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return s.text[from:s.at], nil
		}
	}
	s.at = len(s.text)
	return "", s.unexpected()
}

// value reads any value. Brackets inside of it are counted, so that depth costs nothing.
func (s *scanner) value() (string, error) {
	from := s.space()
	depth := 0
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case '"':
			if _, err := s.quoted(); err != nil {
				return "", err
			}
		case '{', '[':
			depth++
			s.at++
			continue
		case '}', ']':
			if depth == 0 {
				return "", s.unexpected()
			}
			depth--
			s.at++
		default:
			if depth > 0 && (c == ',' || c == ':' || c == ' ' || c == '\n' || c == '\t' || c == '\r') {
				s.at++
				continue
			}
			if !s.word() {
				return "", s.unexpected()
			}
		}
		if depth == 0 {
			return s.text[from:s.at], nil
		}
	}
	return "", s.unexpected()
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

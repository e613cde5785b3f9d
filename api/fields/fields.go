// Package fields reads a few members of JSON objects as they arrive and passes over the rest, with little memory of its own:
// for tables of lists that are much longer than what is shown of them.
package fields

import (
	"bytes"
	"io"
)

// Each reads in to its end and calls take with every object of the JSON list there: the JSON texts of the members called
// names, nothing of one that is absent. Those that same marks are as in the object before, where Each knows that without a
// close look; others may be, too. A text may be used until take returns, and on for as long as it is marked each time. It blocks as in does, and ends with take's
// error, in's, or one that says where the text is not a list of objects. What is passed over must be closed, but is not
// checked further. A member that is there twice counts the last time, names with escapes match nothing.
func Each(in io.Reader, names []string, take func(values [][]byte, same []bool) error) error {
	s := scanner{window: window{in: in, text: make([]byte, 0, atOnce)}}
	if s.next() != '[' {
		return s.unexpected()
	}
	s.at++
	values, same := make([][]byte, len(names)), make([]bool, len(names))
	for first := true; ; first = false {
		if c := s.next(); c == ']' && first {
			break
		} else if c != '{' {
			return s.unexpected()
		}
		if !s.whole(names, values, same) {
			return s.unexpected()
		}
		if err := take(values, same); err != nil {
			return err
		}
		c := s.next()
		if c == ']' {
			break
		}
		if c != ',' {
			return s.unexpected()
		}
		s.at++
	}
	s.at++
	if s.next(); s.at < len(s.text) || s.err != io.EOF {
		return s.unexpected()
	}
	return nil
}

// Text is the value of a JSON string without escapes; false of any other text.
func Text(value []byte) ([]byte, bool) {
	if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
		return nil, false
	}
	return value[1 : len(value)-1], true
}

// Digits is the value of a JSON number that is a whole one, not negative and of 18 digits at most; false of any other text.
func Digits(value []byte) ([]byte, bool) {
	if len(value) == 0 || len(value) > 18 || value[0] == '0' && len(value) > 1 {
		return nil, false
	}
	for _, c := range value {
		if c < '0' || c > '9' {
			return nil, false
		}
	}
	return value, true
}

// SPDX-License-Identifier: Apache-2.0

package checksum

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// ErrFormat means that this build does not support the format of a text.
var ErrFormat = errors.New("the text is of another format")

// lead is the start of a sealed text. Its first line is "contiv NAME FORMAT SUM", with the sum of the first three words, the line feed and
// the body.
const lead = "contiv "

// Seal returns the text of a file: a line with the type of the file, the number of its format and a checksum, and the body.
func Seal(name string, format int, body []byte) []byte {
	head := lead + name + " " + strconv.Itoa(format)
	return joined(head+" "+sumOf(head, body)+"\n", body)
}

// Open returns the body of a text of Seal. A text with another start is an earlier build's, and is returned unchanged: its parser detects
// damage. Errors are ErrDamaged and ErrFormat.
func Open(name string, format int, text []byte) (body []byte, err error) {
	if !bytes.HasPrefix(text, []byte(lead)) {
		return text, nil
	}
	line, body, whole := bytes.Cut(text, []byte("\n"))
	at := bytes.LastIndexByte(line, ' ')
	if want := sumOf(string(line[:at]), body); !whole || string(line[at+1:]) != want {
		return nil, fmt.Errorf("%w: sum: got %.20q, want %q", ErrDamaged, line[at+1:], want)
	}
	if got, want := string(line[:at]), lead+name+" "+strconv.Itoa(format); got != want {
		return nil, fmt.Errorf("%w: got %.60q, want %q", ErrFormat, got, want)
	}
	return body, nil
}

// sumOf is the checksum of a head and a body.
func sumOf(head string, body []byte) string { return Sum(joined(head+"\n", body)) }

func joined(head string, body []byte) []byte { return append([]byte(head), body...) }

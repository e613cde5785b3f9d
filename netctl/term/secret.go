// SPDX-License-Identifier: Apache-2.0

package term

import (
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// ErrNoTerminal reports that a secret can only be asked for on a terminal.
var ErrNoTerminal = errors.New("standard input is not a terminal")

// Line reads one line, without its end. It reads byte by byte, so that it consumes nothing of the next line.
func Line(r io.Reader) (string, error) {
	var b strings.Builder
	one := make([]byte, 1)
	for {
		n, err := r.Read(one)
		switch {
		case n == 1 && one[0] == '\n':
			return strings.TrimSuffix(b.String(), "\r"), nil
		case n == 1:
			b.WriteByte(one[0])
		case errors.Is(err, io.EOF) && b.Len() > 0:
			return b.String(), nil
		case err != nil:
			return "", err
		}
	}
}

// secret reads a line from a terminal without echo. The end of the input is an empty line.
func secret(terminal *os.File) (string, error) {
	fd := int(terminal.Fd())
	if !term.IsTerminal(fd) {
		return "", ErrNoTerminal
	}
	line, err := term.ReadPassword(fd)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimSuffix(string(line), "\r"), nil
}

// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Level is what a test needs, or has, to show a behaviour.
type Level int

// The levels, each with all of the one before.
const (
	API     Level = iota // a master, or less
	Host                 // master, store and agent
	Cluster              // containers on hosts
)

// String is the level as ids.txt writes it.
func (l Level) String() string { return [...]string{"api", "host", "cluster"}[l] }

// parseLevel reads what String prints.
func parseLevel(text string) (Level, error) {
	for l := API; l <= Cluster; l++ {
		if l.String() == text {
			return l, nil
		}
	}
	return 0, fmt.Errorf("level %q: it is api, host or cluster", text)
}

// Behaviour is one line of ids.txt.
type Behaviour struct {
	ID    string // "NET-01"
	Needs Level
	Title string
}

var idPattern = regexp.MustCompile(`^[A-Z][A-Z0-9]+-[0-9]{2}$`)

// Read reads a list of behaviours: id, level and title a line; empty lines and those that begin with # are passed over.
// Its errors name the line.
func Read(r io.Reader) ([]Behaviour, error) {
	var out []Behaviour
	known := map[string]bool{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, rest, _ := strings.Cut(line, " ")
		word, title, _ := strings.Cut(rest, " ")
		level, err := parseLevel(word)
		switch {
		case !idPattern.MatchString(id):
			return nil, fmt.Errorf("line %d: %q is no id such as NET-01", n, id)
		case known[id]:
			return nil, fmt.Errorf("line %d: %s is listed twice", n, id)
		case err != nil:
			return nil, fmt.Errorf("line %d: %s: %w", n, id, err)
		case title == "":
			return nil, fmt.Errorf("line %d: %s has no title", n, id)
		}
		known[id] = true
		out = append(out, Behaviour{id, level, title})
	}
	return out, lines.Err()
}

// SPDX-License-Identifier: Apache-2.0

// Package page reads a page of the documentation whose blocks can be run: the line before a block names the hosts that it is for.
package page

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Block is an indented block that is run.
type Block struct {
	Line   int      // of the page, on which it begins, from 1
	Hosts  []string // on which it is run, one after the other; All in place of every host
	Shell  string
	Prints string // what it prints, as Matches compares; "": anything
}

// Names of hosts beside h1, h2, and so on.
const (
	All    = "every host"    // each machine of the cluster
	Source = "your machine"  // where the source is
	prints = "which prints:" // introduces what the block above prints
	also   = " and on "      // between hosts
	begin  = "On "           // begins the line that names hosts
	indent = "    "          // of a block (CommonMark, section 4.4)
)

var host = regexp.MustCompile(`^(h[1-9]|` + All + `|` + Source + `)$`)

// Blocks returns the blocks of a page, in its order. A block without a line with its purpose is an error, so that none is left out.
func Blocks(text string) (out []Block, err error) {
	lines := strings.Split(text, "\n")
	said := "" // the last line that is not empty and in no block
	for i := 0; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], indent) {
			if strings.TrimSpace(lines[i]) != "" {
				said = lines[i]
			}
			continue
		}
		first := i
		var block []string
		for ; i < len(lines) && (strings.HasPrefix(lines[i], indent) || strings.TrimSpace(lines[i]) == ""); i++ {
			block = append(block, strings.TrimPrefix(lines[i], indent))
		}
		i--
		body := strings.TrimRight(strings.Join(block, "\n"), "\n ")
		switch {
		case said == prints && len(out) > 0 && out[len(out)-1].Prints == "":
			out[len(out)-1].Prints = body
		case strings.HasPrefix(said, begin):
			b := Block{Line: first + 1, Shell: body}
			b.Hosts, err = hosts(said)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", first+1, err)
			}
			out = append(out, b)
		default:
			return nil, fmt.Errorf("line %d: the line before the block is %q: it is like \"On h1:\", \"On h2 and on h3:\", \"On %s:\" or \"%s\"", first+1, said, All, prints)
		}
		said = ""
	}
	return out, nil
}

// hosts are those that a line such as "On h2 and on h3, with the token of h1:" names.
func hosts(line string) ([]string, error) {
	line, colon := strings.CutSuffix(strings.TrimPrefix(line, begin), ":")
	line, _, _ = strings.Cut(line, ",")
	names := strings.Split(line, also)
	for _, n := range names {
		if !host.MatchString(n) || !colon {
			return nil, fmt.Errorf("%q names no hosts: it is like \"On h1:\" or \"On h2 and on h3, ...:\"", line)
		}
	}
	return names, nil
}

// Matches reports which line of what a page shows is not printed, "" when all are, in their order. "..." stands for anything within a
// line, and on a line of its own for any lines; other lines of what is printed may come between. Spaces count as one.
func Matches(shown, printed string) (missing string) {
	rest := strings.Split(printed, "\n")
	for line := range strings.Lines(shown) {
		want := strings.Join(strings.Fields(line), " ")
		if want == "" || want == "..." {
			continue
		}
		found := false
		for !found && len(rest) > 0 {
			found = like(want, strings.Join(strings.Fields(rest[0]), " "))
			rest = rest[1:]
		}
		if !found {
			return want
		}
	}
	return ""
}

// like compares a line with one in which "..." stands for anything.
func like(want, got string) bool {
	parts := strings.Split(want, "...")
	for i, part := range parts {
		at := strings.Index(got, part)
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		if i == len(parts)-1 {
			return part == "" || strings.HasSuffix(got, part)
		}
		got = got[at+len(part):]
	}
	return true
}

// Substitute puts a machine's own texts, by those of the page, into a block: longer texts of the page first, so that none is taken for a
// part of another.
func Substitute(text string, own map[string]string) string {
	var pairs []string
	for _, from := range slices.SortedFunc(maps.Keys(own), func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) }) {
		pairs = append(pairs, from, own[from])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// changing matches what differs from one cluster to another in what a command prints: ids of incarnations, durations, and numbers.
var changing = regexp.MustCompile(`\b[a-z2-7]{26}\b|\b[0-9]+(\.[0-9]+)?(µs|ms|s)\b|[0-9]+`)

// Masked returns a text without what differs from one cluster to another.
func Masked(text string) string { return changing.ReplaceAllString(text, "0") }

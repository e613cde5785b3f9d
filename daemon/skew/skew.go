// SPDX-License-Identifier: Apache-2.0

// Package skew decides which builds work together: by the versions of the protocol between agents and netmasters, and of the records in
// the store, that each build knows. The number of a release does not matter.
package skew

import (
	"fmt"
	"strconv"
	"strings"
)

// Range is the versions of a protocol or format that a build knows, without gaps. The zero Range is that of builds that did not state any:
// they know only version 1.
type Range struct {
	Oldest int `json:"oldest"`
	Newest int `json:"newest"`
}

// The versions that this build knows. A release raises the newest one by at most one, and keeps the one before it, so that releases in
// succession work together in both directions.
var (
	Protocol = Range{Oldest: 1, Newest: 1} // between agents and netmasters; package channel
	Records  = Range{Oldest: 1, Newest: 1} // in the store; package record
)

// Parse parses the text of a Range; "" is the zero Range.
func Parse(text string) (Range, error) {
	if text == "" {
		return Range{}, nil
	}
	first, last, _ := strings.Cut(text, "-")
	if last == "" {
		last = first
	}
	oldest, err := strconv.Atoi(first)
	newest, err2 := strconv.Atoi(last)
	if err != nil || err2 != nil || oldest < 1 || newest < oldest {
		return Range{}, fmt.Errorf("range of versions: got %.20q, want one such as 1 or 1-2", text)
	}
	return Range{oldest, newest}, nil
}

// whole replaces the zero Range.
func (r Range) whole() Range {
	if r == (Range{}) {
		return Range{Oldest: 1, Newest: 1}
	}
	return r
}

// Includes reports whether a build with this range knows a version.
func (r Range) Includes(version int) bool {
	r = r.whole()
	return r.Oldest <= version && version <= r.Newest
}

// Common returns the newest version that two builds know, or 0 if they know none in common.
func (r Range) Common(other Range) int {
	r, other = r.whole(), other.whole()
	if v := min(r.Newest, other.Newest); v >= max(r.Oldest, other.Oldest) {
		return v
	}
	return 0
}

// Older reports whether a build with this range is the older one of two that have no version in common.
func (r Range) Older(other Range) bool { return r.whole().Newest < other.whole().Oldest }

// String returns the range as "1" or "1-2".
func (r Range) String() string {
	r = r.whole()
	if r.Oldest == r.Newest {
		return fmt.Sprint(r.Oldest)
	}
	return fmt.Sprintf("%d-%d", r.Oldest, r.Newest)
}

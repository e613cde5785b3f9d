// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Filter chooses rows by a regular expression. A nil Filter keeps all.
type Filter struct {
	Text    string
	inverse bool
	exp     *regexp.Regexp
	word    string // of an expression that is a mere word, in lower case: many times faster
}

// NewFilter reads "regexp" or "!regexp", ignoring case. "" makes no filter.
func NewFilter(text string) (*Filter, error) {
	pattern, inverse := strings.CutPrefix(text, "!")
	if pattern == "" {
		return nil, nil
	}
	exp, err := regexp.Compile("(?i)" + pattern)
	if err != nil {
		return nil, fmt.Errorf("filter %q is not a regular expression: %w", text, err)
	}
	f := &Filter{Text: text, inverse: inverse, exp: exp}
	if regexp.QuoteMeta(pattern) == pattern && isASCII(pattern) && !strings.Contains(pattern, "\n") {
		f.word = strings.ToLower(pattern)
	}
	return f, nil
}

// Keeps reports whether one of the cells matches, or with "!" none.
func (f *Filter) Keeps(cells ...string) bool {
	if f == nil {
		return true
	}
	if slices.ContainsFunc(cells, f.matches) {
		return !f.inverse
	}
	return f.inverse
}

// keepsRow is Keeps of cells, or when they are nil of those that text has one a line.
func (f *Filter) keepsRow(text string, cells []string) bool {
	switch {
	case f == nil:
		return true
	case cells != nil:
		return f.Keeps(cells...)
	case f.word != "":
		return f.Keeps(text)
	}
	return f.Keeps(strings.Split(text, "\n")...)
}

func (f *Filter) matches(cell string) bool {
	if f.word != "" && isASCII(cell) {
		return strings.Contains(strings.ToLower(cell), f.word)
	}
	return f.exp.MatchString(cell)
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

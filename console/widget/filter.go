package widget

import (
	"fmt"
	"regexp"
	"strings"
)

// Filter chooses rows by a regular expression. A nil Filter keeps all.
type Filter struct {
	Text    string
	inverse bool
	exp     *regexp.Regexp
}

// NewFilter reads "regexp" or "!regexp", ignoring case. "" makes no filter.
func NewFilter(text string) (*Filter, error) {
	pattern, inverse := strings.CutPrefix(text, "!")
	if pattern == "" {
		return nil, nil
	}
	exp, err := regexp.Compile("(?i)" + pattern)
	if err != nil {
		return nil, fmt.Errorf("filter %q is no regular expression: %w", text, err)
	}
	return &Filter{text, inverse, exp}, nil
}

// Keeps tells whether one of the cells matches, or with "!" none.
func (f *Filter) Keeps(cells []string) bool {
	if f == nil {
		return true
	}
	for _, c := range cells {
		if f.exp.MatchString(c) {
			return !f.inverse
		}
	}
	return f.inverse
}

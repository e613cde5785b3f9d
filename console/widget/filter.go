package widget

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Filter chooses rows by a regular expression. A nil Filter keeps all.
type Filter struct {
	Text    string
	inverse bool
	exp     *regexp.Regexp
	word    string         // of an expression that is a mere word, in lower case: many times faster
	quick   *regexp.Regexp // for a whole folded row, when that says the same as exp for its cells; nil: it may not
	need    string         // what every match contains, in lower case; "": unknown
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
	f := &Filter{Text: text, inverse: inverse, exp: exp}
	if regexp.QuoteMeta(pattern) == pattern && isASCII(pattern) {
		f.word = strings.ToLower(pattern)
	}
	if plain := strings.NewReplacer(`\.`, "", `\d`, "", `\-`, "").Replace(pattern); isASCII(plain) && plain == strings.ToLower(plain) &&
		!strings.Contains(plain, `\`) && !strings.Contains(plain, "[^") && !strings.Contains(plain, "(?") {
		f.quick, err = regexp.Compile("(?m)" + pattern)
	}
	if err != nil {
		return nil, fmt.Errorf("filter %q is no regular expression: %w", text, err)
	}
	if tree, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		f.need = strings.ToLower(literal(tree))
	}
	return f, nil
}

// literal is the longest text that every match of an expression contains.
func literal(e *syntax.Regexp) string {
	switch e.Op {
	case syntax.OpLiteral:
		if text := string(e.Rune); e.Flags&syntax.FoldCase == 0 && isASCII(text) {
			return text
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literal(e.Sub[0])
	case syntax.OpConcat:
		longest := ""
		for _, sub := range e.Sub {
			if text := literal(sub); len(text) > len(longest) {
				longest = text
			}
		}
		return longest
	}
	return ""
}

// keepsText is Keeps of the cells that were folded to text, which is not empty.
func (f *Filter) keepsText(text string) bool {
	switch {
	case f.word != "":
		return strings.Contains(text, f.word) != f.inverse
	case f.need != "" && !strings.Contains(text, f.need):
		return f.inverse
	case f.quick != nil:
		return f.quick.MatchString(text) != f.inverse
	}
	for cell := range strings.SplitSeq(text, "\n") {
		if f.exp.MatchString(cell) {
			return !f.inverse
		}
	}
	return f.inverse
}

// Narrows tells whether it surely keeps nothing that was does not keep: the filter of a word that was typed on. A nil
// filter keeps all.
func (f *Filter) Narrows(was *Filter) bool {
	switch {
	case was == nil || f == was:
		return true
	case f == nil || f.inverse || was.inverse:
		return false
	case f.word != "" && was.word != "":
		return strings.Contains(f.word, was.word)
	}
	// What "ab" matches contains a match of "a", when "ab" is "a" and then "b".
	more, ok := strings.CutPrefix(f.Text, was.Text)
	if !ok || strings.ContainsAny(more[:min(1, len(more))], "*+?{") {
		return false
	}
	whole, errWhole := syntax.Parse(f.Text, syntax.Perl)
	parts, errParts := syntax.Parse("(?:"+was.Text+")"+more, syntax.Perl)
	return errWhole == nil && errParts == nil && whole.Equal(parts)
}

// Keeps tells whether one of the cells matches, or with "!" none.
func (f *Filter) Keeps(cells []string) bool {
	if f == nil {
		return true
	}
	for _, c := range cells {
		if f.matches(c) {
			return !f.inverse
		}
	}
	return f.inverse
}

func (f *Filter) matches(cell string) bool {
	if f.word != "" && isASCII(cell) {
		return strings.Contains(strings.ToLower(cell), f.word)
	}
	return f.exp.MatchString(cell)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

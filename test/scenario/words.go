package scenario

import (
	"fmt"
)

// split makes words of a line.
func split(line string) ([]string, error) {
	var words []string
	word, quoted, begun := "", false, false
	for _, r := range line {
		switch {
		case r == '\'':
			quoted, begun = !quoted, true
		case !quoted && r == '#' && !begun:
			return words, nil
		case !quoted && (r == ' ' || r == '\t'):
			if begun {
				words = append(words, word)
			}
			word, begun = "", false
		default:
			word, begun = word+string(r), true
		}
	}
	if quoted {
		return nil, fmt.Errorf("a quote is not closed")
	}
	if begun {
		words = append(words, word)
	}
	return words, nil
}

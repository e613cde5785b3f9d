// SPDX-License-Identifier: Apache-2.0

package app

import (
	"strings"

	"github.com/contiv/contiv/api/model"
)

// nameFor is the name of a result that a text is completed to: the found value if it begins with the text, in any case, or the key.
func nameFor(f *model.Found, text string) string {
	if begins(f.Value, text) {
		return f.Value
	}
	return f.Key
}

// commonName is what the names of results that begin with a text have in common; "" if none does.
func commonName(items []model.Found, text string) string {
	common, first := "", true
	for i := range items {
		name := nameFor(&items[i], text)
		switch {
		case !begins(name, text):
		case first:
			common, first = name, false
		default:
			n := 0
			for n < min(len(common), len(name)) && strings.EqualFold(common[n:n+1], name[n:n+1]) {
				n++
			}
			common = common[:n]
		}
	}
	return strings.ToValidUTF8(common, "")
}

func begins(name, text string) bool {
	return len(name) >= len(text) && strings.EqualFold(name[:len(text)], text)
}

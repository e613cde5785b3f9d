package model

import "strings"

// LabelText turns the labels of an endpoint, which the API has in the original's form, "map[app:db tier:back]", into the form of
// selectors, "app=db,tier=back". A value may have spaces, which is why a word without a colon is of the value before it. Another text is
// returned as it is.
func LabelText(text string) string {
	inner, ok := strings.CutPrefix(text, "map[")
	if !ok || !strings.HasSuffix(inner, "]") {
		return text
	}
	var out []string
	for word := range strings.SplitSeq(strings.TrimSuffix(inner, "]"), " ") {
		if key, value, ok := strings.Cut(word, ":"); ok {
			out = append(out, key+"="+value)
		} else if len(out) > 0 {
			out[len(out)-1] += " " + word
		} else if word != "" {
			out = append(out, word)
		}
	}
	return strings.Join(out, ",")
}

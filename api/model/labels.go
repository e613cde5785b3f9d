package model

import "strings"

// LabelText converts the labels of an endpoint from the original's form in the API, "map[app:db tier:back]", to the form of selectors,
// "app=db,tier=back". A value may have spaces, so a word without a colon belongs to the value before it. It returns another text unchanged.
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

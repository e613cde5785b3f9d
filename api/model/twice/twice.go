// SPDX-License-Identifier: Apache-2.0

// Package twice finds repetitions in a text, for tests of messages to users.
package twice

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// run is the number of consecutive words that make a phrase.
const run = 3

// Said returns the first repetition in an error's text, or "": the same consecutive words, such as a command; a repeated "not
// found"; or a clause whose significant words all came before. Names of objects may be repeated.
func Said(text string) string { return said(text, run) }

// InFormat checks a format as Said checks a text. The verbs, such as %s, differ each time, so it checks the words between them more strictly.
func InFormat(text string) string { return said(text, run-1) }

// said implements Said for phrases with a minimum number of significant words.
func said(text string, least int) string {
	all := words(text)
	if phrase := cmp.Or(repeated(all, least), denied(all)); phrase != "" {
		return phrase
	}
	var before []string
	for _, clause := range clauses(text) {
		own := meaning(words(clause))
		if len(own) >= least && !slices.ContainsFunc(own, verb) && !slices.ContainsFunc(own, func(w string) bool { return !slices.Contains(before, w) }) {
			return strings.TrimSpace(clause)
		}
		before = append(before, own...)
	}
	return ""
}

// repeated returns the first repeated words in a row that contain a minimum number of significant words.
func repeated(all []string, least int) string {
	seen := map[string]int{}
	for i := 0; i+run <= len(all); i++ {
		part := all[i : i+run]
		if len(meaning(part)) < least || slices.ContainsFunc(part, verb) {
			continue
		}
		phrase := strings.Join(part, " ")
		if first, ok := seen[phrase]; ok && first+run <= i {
			return phrase
		} else if !ok {
			seen[phrase] = i
		}
	}
	return ""
}

// denied returns an object that is reported missing twice: "network not found (there is no network x)".
func denied(all []string) string {
	var nouns []string
	for i, w := range all {
		switch {
		case w == "no" && i+1 < len(all):
			nouns = append(nouns, stem(all[i+1]))
		case w == "not" && 0 < i && i+1 < len(all) && all[i+1] == "found":
			nouns = append(nouns, stem(all[i-1]))
		}
	}
	for i, noun := range nouns {
		if !verb(noun) && slices.Contains(nouns[:i], noun) {
			return "no " + noun
		}
	}
	return ""
}

// words returns the words of a text in lower case, without punctuation around them.
func words(text string) (out []string) {
	for w := range strings.FieldsSeq(strings.NewReplacer(`\"`, " ", `"`, " ", "'", " ", "`", " ").Replace(text)) {
		w = strings.TrimFunc(strings.ToLower(w), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("%-/.", r)
		})
		if w = strings.TrimRight(w, ".-/"); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// clauses splits a text at its punctuation.
func clauses(text string) []string {
	return strings.FieldsFunc(strings.NewReplacer(": ", ";", ". ", ";", "? ", ";").Replace(text), func(r rune) bool { return strings.ContainsRune(";()", r) })
}

func verb(w string) bool { return strings.HasPrefix(w, "%") }

// meaning returns the significant words, without their endings.
func meaning(all []string) (out []string) {
	for _, w := range all {
		if slices.Contains(small, w) {
			continue
		}
		out = append(out, stem(w))
	}
	return out
}

var small = strings.Fields("a an and any are as at be by do does for from has have how in is it its no not of on one or say says so than that the them then there these they this to what where which who with")

// stem cuts off the most common endings.
func stem(w string) string {
	for _, end := range []string{"ing", "ed", "es", "s"} {
		if short := strings.TrimSuffix(w, end); short != w && len(short) >= 3 {
			return short
		}
	}
	return w
}

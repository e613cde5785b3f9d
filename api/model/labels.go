// SPDX-License-Identifier: Apache-2.0

package model

import (
	"maps"
	"slices"
	"strings"
)

// LabelsField is the JSON name of the field that has an object's labels.
const LabelsField = "labels"

// The bounds of an object's labels.
const (
	maxLabels     = 32
	maxLabelBytes = 2048 // of keys and values together
	maxLabel      = 63   // bytes of a value, and of a key without its prefix
	maxPrefix     = 253  // bytes of a key's prefix
)

// CheckLabels checks labels by the rules of Kubernetes, and the bounds of their number and size.
func CheckLabels(labels map[string]string) *Error {
	size := 0
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		value := labels[key]
		size += len(key) + len(value)
		if !isLabelKey(key) {
			return Errorf(CodeInvalid, LabelsField, "labels: got key %.80q, want NAME or PREFIX/NAME", key).
				Try("NAME has 1 to %d letters, digits, - _ and ., the first and last a letter or digit; PREFIX is a DNS name in lower case", maxLabel)
		}
		if value != "" && !isLabelName(value) {
			return Errorf(CodeInvalid, LabelsField, "labels: got value %.80q of %s, want at most %d letters, digits, - _ and .", value, key, maxLabel).
				Try("begin and end it with a letter or digit, or leave it empty")
		}
	}
	switch {
	case len(labels) > maxLabels:
		return Errorf(CodeInvalid, LabelsField, "labels: got %d, want at most %d", len(labels), maxLabels).Try("remove some of them")
	case size > maxLabelBytes:
		return Errorf(CodeInvalid, LabelsField, "labels: got %d bytes of keys and values, want at most %d", size, maxLabelBytes).Try("remove or shorten some of them")
	}
	return nil
}

// isLabelKey reports whether Kubernetes accepts the key of a label.
func isLabelKey(key string) bool {
	prefix, name, has := strings.Cut(key, "/")
	if !has {
		return isLabelName(key)
	}
	if len(prefix) > maxPrefix {
		return false
	}
	for part := range strings.SplitSeq(prefix, ".") {
		if part == "" || strings.HasPrefix(part, "-") || strings.HasSuffix(part, "-") || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	return isLabelName(name)
}

// isLabelName reports whether Kubernetes accepts the name of a label, or its value if that is not empty.
func isLabelName(s string) bool {
	if s == "" || len(s) > maxLabel || !isAlphanumeric(s[0]) || !isAlphanumeric(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && strings.IndexByte("-_.", s[i]) < 0 {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// LabelsOf returns the labels of an object; nil if it has none. The caller must not change them.
func LabelsOf(o Object) map[string]string {
	switch v := o.Field(LabelsField).(type) {
	case map[string]string:
		return v
	case []string: // of an object of Kubernetes
		out := make(map[string]string, len(v))
		for _, label := range v {
			key, value, _ := strings.Cut(label, "=")
			out[key] = value
		}
		return out
	}
	return nil
}

// SetLabels replaces the labels of an object, and reports whether it can have labels. Empty labels remove those of the stored object when
// this one is put; nil labels keep them.
func SetLabels(o Object, labels map[string]string) bool {
	labelled, ok := o.(interface{ SetLabels(map[string]string) })
	if ok {
		labelled.SetLabels(labels)
	}
	return ok
}

// JoinLabels returns labels in the form of selectors, in order of their keys: "app=db,tier=back".
func JoinLabels(labels map[string]string) string {
	words := make([]string, 0, len(labels))
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, key+"="+labels[key])
	}
	return strings.Join(words, ",")
}

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

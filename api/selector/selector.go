// SPDX-License-Identifier: Apache-2.0

// Package selector selects the objects of a list or a watch: by their fields and their labels, as selectors of Kubernetes do.
package selector

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/contiv/contiv/api/model"
)

// The names of the parameters of requests, which errors name too.
const (
	Fields = "fieldSelector"
	Labels = "labelSelector"
)

// Selector selects objects of one kind. The zero Selector selects all.
type Selector struct {
	fields fields.Requirements
	labels labels.Selector // nil: any
}

// Parse parses the selectors of a kind. In that of fields, a comma list of FIELD=VALUE and FIELD!=VALUE, a backslash escapes a comma, an
// equals sign or a backslash of a value; that of labels is any that kubectl accepts. "" selects all. Errors are *model.Error.
func Parse(k *model.Kind, ofFields, ofLabels string) (s Selector, err error) {
	parsed, err := fields.ParseSelector(ofFields)
	if err != nil {
		return s, model.Errorf(model.CodeInvalid, Fields, "%v", err).Try("%s", matches(k))
	}
	s.fields = parsed.Requirements()
	known := k.Listed()
	for _, r := range s.fields {
		if !slices.ContainsFunc(known, func(f model.Field) bool { return f.Name == r.Field }) {
			return s, model.Errorf(model.CodeInvalid, Fields, "%s have no field %q to be selected by", k.Nouns(), r.Field).Try("%s", matches(k))
		}
	}
	if ofLabels == "" {
		return s, nil
	}
	if !k.Labelled() {
		return s, model.Errorf(model.CodeInvalid, Labels, "%s have no labels", k.Nouns()).Try("%s", matches(k))
	}
	if s.labels, err = labels.Parse(ofLabels); err != nil {
		return s, model.Errorf(model.CodeInvalid, Labels, "%v", err).Try(`it is as in "app=web,tier in (front,back),!old"`)
	}
	return s, nil
}

// matches validates the selector of a kind's fields.
func matches(k *model.Kind) string {
	var names []string
	for _, f := range k.Listed() {
		names = append(names, f.Name)
	}
	return Fields + " is a comma list of FIELD=VALUE and FIELD!=VALUE, of " + strings.Join(names, ", ")
}

// All reports whether everything is selected.
func (s *Selector) All() bool { return len(s.fields) == 0 && s.labels == nil }

// ByLabels reports whether labels matter.
func (s *Selector) ByLabels() bool { return s.labels != nil }

// Selects reports whether an object is selected: field returns its fields by JSON name, set are its labels.
func (s *Selector) Selects(field func(name string) any, set map[string]string) bool {
	for _, r := range s.fields {
		if has(field(r.Field), r.Value) != (r.Operator == selection.Equals) {
			return false
		}
	}
	return s.labels == nil || s.labels.Matches(labels.Set(set))
}

// has reports whether a field has a value, or a list has an element of that value. A list without non-empty elements has the value "".
func has(field any, value string) bool {
	switch v := field.(type) {
	case string:
		return v == value
	case int:
		return strconv.Itoa(v) == value
	case []string:
		if value == "" {
			return !slices.ContainsFunc(v, func(x string) bool { return x != "" })
		}
		return slices.Contains(v, value)
	}
	return false
}

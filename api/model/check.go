// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"
	"strings"
)

// firstError returns the first error that is not nil.
func firstError(errs ...*Error) error {
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

// checkString checks a string field's length and format, in the original's words.
func checkString(f *Field, v string) *Error {
	if f.MaxLen > 0 && len(v) > f.MaxLen {
		return Errorf(CodeInvalid, f.Name, "%s string too long", f.Name).Try("%s takes at most %d characters, got %d", f.Name, f.MaxLen, len(v))
	}
	if f.Required && v == "" {
		return Errorf(CodeInvalid, f.Name, "%s string invalid format", f.Name).Try("%s is missing: %s", f.Name, matches(f))
	}
	if len(f.Enum) > 0 && !slices.Contains(f.Enum, v) && (v != "" || f.Required || f.Default != "") {
		return Errorf(CodeInvalid, f.Name, "%s string invalid format", f.Name).Try("%s is %s, got %q", f.Name, list(f.Enum), v)
	}
	if f.Format != "" {
		if format := formats[f.Format]; !format.Accepts(v) {
			return Errorf(CodeInvalid, f.Name, "%s string invalid format", f.Name).Try("%s takes %s%s", f.Name, format.Description, example(f))
		}
	}
	return nil
}

// matches describes the accepted values of a field, as a sentence that begins with "it".
func matches(f *Field) string {
	switch format, ok := formats[f.Format]; {
	case len(f.Enum) > 0:
		return "it is " + list(f.Enum)
	case ok:
		return "it takes " + format.Description + example(f)
	}
	return "it must not be empty" + example(f)
}

// Missing names the missing required fields of an object, each with its accepted values; nil if there are none.
func Missing(o Object) *Error {
	var names, remedies []string
	for i, f := range o.Kind().Fields {
		if f.Required && f.Type == String && o.Field(f.Name) == "" {
			names = append(names, f.Name)
			remedies = append(remedies, f.Name+": "+matches(&o.Kind().Fields[i]))
		}
	}
	switch len(names) {
	case 0:
		return nil
	case 1:
		return Errorf(CodeInvalid, names[0], "%s is missing", names[0]).Try("%s", strings.TrimPrefix(remedies[0], names[0]+": "))
	}
	return Errorf(CodeInvalid, names[0], "%s and %s are missing", strings.Join(names[:len(names)-1], ", "), names[len(names)-1]).Try("%s", strings.Join(remedies, "; "))
}

// checkInt checks an integer field's bounds.
func checkInt(f *Field, v int) *Error {
	if v == 0 && f.Optional {
		return nil
	}
	if v < f.Min || f.Max > 0 && v > f.Max {
		return Errorf(CodeInvalid, f.Name, "%s Value Out of bound", f.Name).Try("%s is between %d and %d", f.Name, f.Min, f.Max)
	}
	return nil
}

func example(f *Field) string {
	if f.Example == "" || strings.Contains(formats[f.Format].Description, "such as") {
		return ""
	}
	return ", for example " + f.Example
}

func list(words []string) string {
	s := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			s += " or "
		default:
			s += ", "
		}
		s += w
	}
	return s
}

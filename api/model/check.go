package model

import "slices"

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
	if len(f.Enum) > 0 && !slices.Contains(f.Enum, v) && (v != "" || f.Required || f.Default != "") {
		return Errorf(CodeInvalid, f.Name, "%s string invalid format", f.Name).Try("%s is one of %s", f.Name, list(f.Enum))
	}
	if f.Required && v == "" && f.Format == "" {
		return Errorf(CodeInvalid, f.Name, "%s string invalid format", f.Name).Try("%s must not be empty", f.Name)
	}
	if f.Format != "" {
		if format := formats[f.Format]; !format.Accepts(v) {
			return Errorf(CodeInvalid, f.Name, "%s string invalid format", f.Name).Try("%s takes %s%s", f.Name, format.Says, example(f))
		}
	}
	return nil
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
	if f.Example == "" {
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

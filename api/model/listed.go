package model

import "slices"

// Listed are the fields by which a list of the kind can be filtered: the listed ones, except secrets.
func (k *Kind) Listed() []Field {
	fields := k.Fields
	if k.InspectOnly {
		fields = k.Oper
	}
	return slices.DeleteFunc(slices.Clone(fields), func(f Field) bool { return f.Secret || f.Inspected })
}

// Labelled reports whether objects of the kind have labels.
func (k *Kind) Labelled() bool {
	return slices.ContainsFunc(k.Listed(), func(f Field) bool { return f.Name == "labels" })
}

// SPDX-License-Identifier: Apache-2.0

package model

import "slices"

// Listed are the fields by which a list of the kind can be filtered: the listed ones, except secrets and the labels, which have selectors
// of their own.
func (k *Kind) Listed() []Field {
	return slices.DeleteFunc(slices.Clone(k.shown()), func(f Field) bool { return f.Secret || f.Inspected || f.Type == Labels })
}

// shown are the fields of the kind's objects.
func (k *Kind) shown() []Field {
	if k.InspectOnly {
		return k.Oper
	}
	return k.Fields
}

// Labelled reports whether objects of the kind have labels.
func (k *Kind) Labelled() bool {
	return slices.ContainsFunc(k.shown(), func(f Field) bool { return f.Name == LabelsField })
}

// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"slices"
)

// weight orders severities, the worst first.
func (s Severity) weight() int {
	switch s {
	case SeverityError:
		return 0
	case SeverityWarning:
		return 1
	case SeverityInfo:
		return 3
	}
	return 2
}

// Worse reports whether a severity is worse than another one.
func (s Severity) Worse(than Severity) bool { return s.weight() < than.weight() }

// CompareSeverity orders severities, the worst first.
func CompareSeverity(a, b Severity) int { return a.weight() - b.weight() }

// SortFindings puts the worst first, then by code, object and host.
func SortFindings(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(CompareSeverity(a.Severity, b.Severity), cmp.Compare(a.Code.text, b.Code.text), cmp.Compare(a.Object, b.Object), cmp.Compare(a.Host, b.Host))
	})
}

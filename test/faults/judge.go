// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// causes returns the findings that nothing explains, without notes, unless they are expected.
func causes(list []model.Finding, expected []expectation) (out []model.Finding) {
	for i := range list {
		f := &list[i]
		if f.CausedBy == nil && (f.Severity != model.SeverityInfo || slices.ContainsFunc(expected, func(e expectation) bool { return e.names(f) })) {
			out = append(out, *f)
		}
	}
	return out
}

// names reports whether a finding is the one that the fault is to be found by.
func (e expectation) names(f *model.Finding) bool {
	return !e.fault.quiet() && e.at.pattern(e.fault.First).MatchString(f.Ref().String())
}

// provokes reports whether a finding is about another fault that the script injects so that this one appears; it may be the first.
func (e expectation) provokes(f *model.Finding) bool {
	return slices.ContainsFunc(e.fault.Also, func(p string) bool { return e.at.pattern(p).MatchString(f.Ref().String()) })
}

// admits reports whether a finding may be beside the first one.
func (e expectation) admits(f *model.Finding) bool {
	return e.names(f) || e.provokes(f) || slices.ContainsFunc(e.fault.Beside, func(p string) bool { return e.at.pattern(p).MatchString(f.Ref().String()) })
}

// judge returns why the findings of the cluster are not those of the faults, or "". Each fault has to be among the causes, a single one has to
// be the first, and no other cause may be there.
func judge(list []model.Finding, expected ...expectation) string {
	found := causes(list, expected)
	var wrong []string
	for _, e := range expected {
		others := slices.DeleteFunc(slices.Clone(found), func(f model.Finding) bool { return e.provokes(&f) })
		i := slices.IndexFunc(others, func(f model.Finding) bool { return e.names(&f) })
		switch {
		case e.fault.quiet():
		case i < 0:
			wrong = append(wrong, fmt.Sprintf("%s is not named", e))
		case i > 0 && len(expected) == 1:
			wrong = append(wrong, fmt.Sprintf("%s is number %d, after %s", e, i+1, others[0].Ref()))
		}
	}
	for i := range found {
		f := &found[i]
		if !slices.ContainsFunc(expected, func(e expectation) bool { return e.admits(f) }) {
			wrong = append(wrong, "beside it: "+describe(f))
		}
	}
	return strings.Join(wrong, "; ")
}

// remains returns what is found after all faults were repaired, or "". The findings that the faults were found by have to be gone even if they
// are notes.
func remains(list []model.Finding, repaired ...expectation) string {
	var left []string
	for i := range list {
		f := &list[i]
		if f.Severity != model.SeverityInfo || slices.ContainsFunc(repaired, func(e expectation) bool { return e.names(f) }) {
			left = append(left, describe(f))
		}
	}
	return strings.Join(left, "; ")
}

// describe is a finding in a line.
func describe(f *model.Finding) string {
	text := fmt.Sprintf("%s %s: %.200s", f.Severity, f.Ref(), f.Evidence)
	if f.CausedBy != nil {
		text += " (because of " + f.CausedBy.String() + ")"
	}
	return text
}

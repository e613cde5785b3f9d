// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// declaredCause is one relation of a finding with the findings that it explains.
type declaredCause struct {
	Relation model.Relation
	Codes    []string
}

// Causes lists what the finding explains, in the order of the relations.
func (f *declaredFinding) Causes() (out []declaredCause) {
	for _, r := range model.Relations() {
		if codes := f.Explains[r]; len(codes) > 0 {
			out = append(out, declaredCause{r, codes})
		}
	}
	return out
}

// Variables are the Go names of the codes.
func (c declaredCause) Variables() (out []string) {
	for _, code := range c.Codes {
		out = append(out, variable(code))
	}
	return out
}

// Text describes the relation for docs/findings.md.
func (c declaredCause) Text() string {
	return c.Relation.Describe() + ": `" + strings.Join(c.Codes, "`, `") + "`"
}

// validateCauses checks the table of causes: each finding has its entry, all codes are declared, and no finding explains itself by way of others.
func validateCauses(list []declaredFinding) error {
	explains := map[string][]string{}
	for i := range list {
		f := &list[i]
		if !slices.Contains(model.Cuts(), f.Cut) {
			return fmt.Errorf("finding %q: cut: got %q, want one of %q", f.Code, f.Cut, model.Cuts())
		}
		if f.Explains == nil {
			return fmt.Errorf("finding %q: explains: got nothing, want the findings that follow from it by their relation, or {}", f.Code)
		}
		for r, codes := range f.Explains {
			if !slices.Contains(model.Relations(), r) {
				return fmt.Errorf("finding %q: explains: got %q, want one of %q", f.Code, string(r), model.Relations())
			}
			explains[f.Code] = append(explains[f.Code], codes...)
		}
	}
	for i := range list {
		for _, code := range explains[list[i].Code] {
			if !slices.ContainsFunc(list, func(f declaredFinding) bool { return f.Code == code }) {
				return fmt.Errorf("finding %q explains %q, which is not declared", list[i].Code, code)
			}
		}
	}
	done := map[string]bool{}
	for i := range list {
		if cycle := cycleOf(explains, nil, list[i].Code, done); cycle != nil {
			return fmt.Errorf("findings explain each other: %s; want causes before their effects only", strings.Join(cycle, " explains "))
		}
	}
	return nil
}

// cycleOf follows what a finding explains, and returns the first way that leads back; done has the codes that lead to none.
func cycleOf(explains map[string][]string, path []string, code string, done map[string]bool) []string {
	if done[code] {
		return nil
	}
	if i := slices.Index(path, code); i >= 0 {
		return append(slices.Clone(path[i:]), code)
	}
	for _, next := range explains[code] {
		if cycle := cycleOf(explains, append(path, code), next, done); cycle != nil {
			return cycle
		}
	}
	done[code] = true
	return nil
}

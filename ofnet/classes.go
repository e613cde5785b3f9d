// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"slices"
	"strings"

	"github.com/contiv/contiv/table"
)

// policiesOfLevel finds ClassPolicies.
var policiesOfLevel = table.By[string]((*ClassPolicy).Level)

// SetClassPolicy puts a policy into ClassPolicies under its ID.
func (s *State) SetClassPolicy(p *ClassPolicy) { s.ClassPolicies.Set(p.ID(), p) }

// PoliciesAt returns the level with a key, and its policies by name; a level without policies is the zero Level. It takes time in
// proportion to their number.
func (s *State) PoliciesAt(level Key) (l Level, policies []*ClassPolicy) {
	l, ok := LevelOf(level)
	if !ok {
		return Level{}, nil
	}
	policies = slices.Collect(policiesOfLevel.In(s.ClassPolicies, l).Values())
	if len(policies) == 0 {
		return Level{}, nil
	}
	slices.SortFunc(policies, func(a, b *ClassPolicy) int { return strings.Compare(a.Name, b.Name) })
	return l, policies
}

// levels lists all levels in order.
func (s *State) levels() (out []Level) {
	for l := range policiesOfLevel.Each(s.ClassPolicies) {
		out = append(out, l)
	}
	slices.SortFunc(out, Level.compare)
	return out
}

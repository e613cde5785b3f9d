// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// membersSection is the section of the endpoints of a network, a group, a policy or a node.
func (f *facts) membersSection() *Section {
	s := &Section{Title: "Endpoints", None: "none"}
	var list []model.EndpointOper
	count, more := 0, ""
	switch {
	case f.is(model.KindNetwork(), model.KindEndpointGroup(), model.KindPolicy()):
		list = f.members()
		count = len(list)
		if f.operErr != nil {
			s.Unknown = []string{reason(f.operErr)}
		}
	case f.endpoints.asked:
		s.Unknown = f.endpoints.unknown()
		for _, e := range f.endpoints.value {
			list = append(list, *e)
		}
		if count = len(list); count > maxListed {
			more = "and more: netctl endpoint ls --host " + f.key
		}
	default:
		return nil
	}
	if count > maxListed && more == "" {
		more = fmt.Sprintf("and %d more", count-maxListed)
	}
	for i := range list[:min(count, maxListed)] {
		e := &list[i]
		parts := []Part{endpointLink(e), plain("  %s", strings.TrimSpace(strings.Join(e.IpAddress, " ")))}
		if g := groupKey(e); g != "" && !f.is(model.KindEndpointGroup()) {
			parts = append(parts, plain("  group "), link(model.KindEndpointGroup(), g))
		}
		if f.kind != nil {
			parts = append(parts, plain("  on "), host(e.HomingHost))
		}
		s.Rows = append(s.Rows, row("", parts...))
	}
	if more != "" {
		s.Rows = append(s.Rows, row("", plain("%s", more)))
	}
	return s
}

// rulesSection is the section of a policy's rules, those that decide first on top, and of the groups with a rule's policy.
func (f *facts) rulesSection() *Section {
	switch {
	case f.is(model.KindRule()):
		return f.ruled()
	case !f.is(model.KindPolicy()):
		return nil
	}
	s := &Section{Title: "Rules", None: "none: the policy allows everything", Unknown: f.rules.unknown()}
	var rules []*model.Rule
	for _, o := range f.rules.value {
		if r, ok := o.(*model.Rule); ok && model.Key(r.TenantName, r.PolicyName) == f.key {
			rules = append(rules, r)
		}
	}
	slices.SortStableFunc(rules, func(a, b *model.Rule) int {
		return cmp.Or(cmp.Compare(a.Direction, b.Direction), cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.RuleId, b.RuleId))
	})
	for _, r := range rules {
		end, preposition := model.RuleFrom, "from"
		if r.Direction == "out" {
			end, preposition = model.RuleTo, "to"
		}
		traffic := cmp.Or(r.Protocol, "any protocol")
		if r.Port != 0 {
			traffic += fmt.Sprintf(" %d", r.Port)
		}
		s.Rows = append(s.Rows, row("", linkAs(model.KindRule(), r.ObjectKey(), r.RuleId),
			plain("  %s  priority %d  %s %s %s %s", r.Direction, r.Priority, r.Action, traffic, preposition, r.End(end, nil))))
	}
	return s
}

// ruled is the section of the groups to which a rule applies.
func (f *facts) ruled() *Section {
	s := &Section{Title: "Applies to", None: "no group has its policy", Unknown: f.groups.unknown()}
	var parts []Part
	for _, o := range f.groups.value {
		if g, ok := o.(*model.EndpointGroup); ok && slices.Contains(g.Policies, f.field("policyName")) {
			parts = append(parts, linkAs(model.KindEndpointGroup(), g.ObjectKey(), g.GroupName))
		}
	}
	if len(parts) > 0 {
		s.Rows = []Row{row("", listed(parts)...)}
	}
	return s
}

package derive

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// step is one record that differs from what the objects ask for, or a rule whose policy is gone.
type step struct {
	phase int
	id    string // of the record; "" for an object
	group string // API key of the group that the record is for
	rule  string // API key of the rule
}

// The order of steps: traffic that a policy is to stop is never let through on the way, at the price that traffic which
// it is to let through may be stopped for as long as it takes.
const (
	addDeny = iota
	removeAllow
	addAllow
	removeDeny
	removeRule
)

// plan lists what is to be done after a change of the named objects, or after any change when dirty is nil, in the order
// in which to do it.
func plan(v *catalog.View, dirty map[catalog.Ref]struct{}) []step {
	if dirty != nil && !concerned(dirty) {
		return nil
	}
	p := &planner{View: v}
	_, settings := dirty[catalog.Ref{Kind: model.KindGlobal().Name, Key: "global"}]
	if dirty == nil || settings {
		p.everything()
	} else {
		p.some(dirty)
	}
	slices.SortFunc(p.steps, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.phase, b.phase), cmp.Compare(a.id, b.id), cmp.Compare(a.rule, b.rule))
	})
	return slices.Compact(p.steps)
}

// concerned tells whether rules may follow from any of the objects.
func concerned(dirty map[catalog.Ref]struct{}) bool {
	for ref := range dirty {
		switch ref.Kind {
		case model.KindGlobal().Name, model.KindEndpointGroup().Name, model.KindNetwork().Name, model.KindPolicy().Name, model.KindRule().Name:
			return true
		}
	}
	return false
}

type planner struct {
	*catalog.View
	steps []step
}

// rulesOf lists a policy's rules, be the policy there or not.
func (p *planner) rulesOf(policy string) []*model.Rule {
	keys := p.Referrers(model.KindPolicy(), policy, model.KindRule().Name)
	out := make([]*model.Rule, 0, len(keys))
	for _, key := range keys {
		if r, ok := p.Stored(model.KindRule(), key).(*model.Rule); ok {
			out = append(out, r)
		}
	}
	return out
}

func (p *planner) everything() {
	for _, key := range p.GroupsWithRules() {
		if !p.Has(model.KindEndpointGroup().Name, key) {
			p.group(key, nil)
		}
	}
	p.Range(model.KindEndpointGroup(), func(o model.Object) { p.group(o.ObjectKey(), o.(*model.EndpointGroup)) })
	policies := map[string]bool{}
	p.Range(model.KindRule(), func(o model.Object) {
		r := o.(*model.Rule)
		policies[model.Key(r.TenantName, r.PolicyName)] = true
	})
	for policy := range policies {
		p.policy(policy)
	}
}

// some looks at what the changed objects concern.
func (p *planner) some(dirty map[catalog.Ref]struct{}) {
	named := map[catalog.Ref]bool{} // groups and networks that rules may name
	for ref := range dirty {
		switch ref.Kind {
		case model.KindEndpointGroup().Name:
			g, _ := p.Stored(model.KindEndpointGroup(), ref.Key).(*model.EndpointGroup)
			p.group(ref.Key, g)
			named[ref] = true
		case model.KindNetwork().Name:
			named[ref] = true
		case model.KindPolicy().Name:
			p.policy(ref.Key)
		case model.KindRule().Name:
			p.rule(ref.Key)
		}
	}
	if len(named) == 0 {
		return
	}
	p.Range(model.KindRule(), func(o model.Object) {
		r := o.(*model.Rule)
		for _, name := range []catalog.Ref{
			{Kind: model.KindEndpointGroup().Name, Key: model.Key(r.TenantName, r.FromEndpointGroup)},
			{Kind: model.KindEndpointGroup().Name, Key: model.Key(r.TenantName, r.ToEndpointGroup)},
			{Kind: model.KindNetwork().Name, Key: model.Key(r.TenantName, r.FromNetwork)},
			{Kind: model.KindNetwork().Name, Key: model.Key(r.TenantName, r.ToNetwork)},
		} {
			if named[name] {
				p.rule(r.ObjectKey())
			}
		}
	})
}

// policy lists the rules that a policy has left behind.
func (p *planner) policy(key string) {
	if p.Has(model.KindPolicy().Name, key) {
		return
	}
	for _, r := range p.rulesOf(key) {
		p.steps = append(p.steps, step{phase: removeRule, rule: r.ObjectKey()})
	}
}

// group compares all records for a group with what its policies ask for. g is nil when the group is gone.
func (p *planner) group(key string, g *model.EndpointGroup) {
	wanted := map[string]*record.PolicyRule{}
	if g != nil {
		if r := p.Group(g.Identity()); r != nil {
			for _, policy := range g.Policies {
				for _, rule := range p.rulesOf(model.Key(g.TenantName, policy)) {
					list := expand(p.View, r, rule)
					for i := range list {
						wanted[list[i].ID] = &list[i]
					}
				}
			}
		}
	}
	for id, want := range wanted {
		p.compare(key, id, want)
	}
	for _, id := range p.PolicyRulesFor(key) {
		if wanted[id] == nil {
			p.compare(key, id, nil)
		}
	}
}

// rule compares the records of one rule, which may be gone, with what is asked for.
func (p *planner) rule(key string) {
	name, ok := parseRule(key)
	if !ok {
		return
	}
	for _, group := range p.Referrers(model.KindPolicy(), model.Key(name.TenantName, name.PolicyName), model.KindEndpointGroup().Name) {
		_, groupName, _ := strings.Cut(group, ":")
		for _, tag := range record.PolicyTags() {
			id := record.PolicyRuleID(name.TenantName, groupName, name.PolicyName, name.RuleId, tag)
			p.compare(group, id, wants(p.View, p.View, group, key, id))
		}
	}
}

// compare notes a step when a record is not what is wanted.
func (p *planner) compare(group, id string, want *record.PolicyRule) {
	have := p.PolicyRule(id)
	if same(want, have) {
		return
	}
	s := step{id: id, group: group, rule: ruleOfRecord(id)}
	switch {
	case want != nil && want.Action == "deny":
		s.phase = addDeny
	case want != nil:
		s.phase = addAllow
	case have.Action == "deny":
		s.phase = removeDeny
	default:
		s.phase = removeAllow
	}
	p.steps = append(p.steps, s)
}

// wants is the record that the objects ask for under an id, nil for none.
func wants(v *catalog.View, known facts, group, rule, id string) *record.PolicyRule {
	g, _ := v.Stored(model.KindEndpointGroup(), group).(*model.EndpointGroup)
	r, _ := v.Stored(model.KindRule(), rule).(*model.Rule)
	if g == nil || r == nil || r.TenantName != g.TenantName || !slices.Contains(g.Policies, r.PolicyName) {
		return nil
	}
	own := known.Group(g.Identity())
	if own == nil {
		return nil
	}
	return recordOf(expand(known, own, r), id)
}

// carryOut does one step, as far as it is still to be done.
func carryOut(tx *commit.Tx, s step) error {
	if s.id == "" {
		name, _ := parseRule(s.rule)
		if !tx.Has(model.KindPolicy().Name, model.Key(name.TenantName, name.PolicyName)) && tx.Has(model.KindRule().Name, s.rule) {
			tx.DeleteObject(model.KindRule(), s.rule)
		}
		return nil
	}
	want := wants(tx.View, tx, s.group, s.rule, s.id)
	switch {
	case same(want, tx.PolicyRule(s.id)):
		return nil
	case want == nil:
		tx.Delete(record.PolicyRules + s.id)
		return nil
	default:
		return tx.Put(record.PolicyRules+s.id, want)
	}
}

// parseRule reads a rule's API key.
func parseRule(key string) (model.Rule, bool) {
	parts := strings.Split(key, ":")
	if len(parts) != 3 {
		return model.Rule{}, false
	}
	return model.Rule{TenantName: parts[0], PolicyName: parts[1], RuleId: parts[2]}, true
}

// ruleOfRecord is the API key of the rule that a record's id names: the parts before the last, which is the tag.
func ruleOfRecord(id string) string {
	parts := strings.Split(id, ":")
	if len(parts) < 4 {
		return ""
	}
	return model.Key(parts[len(parts)-4 : len(parts)-1]...)
}

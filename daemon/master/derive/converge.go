package derive

import (
	"bytes"
	"cmp"
	"encoding/json"
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
	key   string
	value any // nil: there is to be none
}

// The order of steps: traffic that a policy is to stop is never let through on the way, at the price that traffic which
// it is to let through may be stopped for as long as it takes. What earlier builds wrote goes when all that replaces it is there.
const (
	addDeny = iota
	removeAllow
	addAllow
	attach
	detach
	removeDeny
	removeLegacyAllow
	removeLegacyDeny
	removeLegacyAttachment
	removeRule
)

// Converge makes a function for the first transactions of a term, before anything else changes: it brings the records of policies to what
// the objects ask for, whatever another build or a leader that ended half way has left, and removes the rules of deleted policies. It
// writes as much as a transaction has room for, and nothing once all is done.
func Converge() func(tx *commit.Tx) error {
	var steps []step
	planned := false
	return func(tx *commit.Tx) error {
		if !planned {
			steps, planned = plan(tx.View), true
		}
		for ; len(steps) > 0 && tx.Room() > 0; steps = steps[1:] {
			if steps[0].value == nil {
				tx.Delete(steps[0].key)
			} else if err := tx.Put(steps[0].key, steps[0].value); err != nil {
				return err
			}
		}
		return nil
	}
}

// plan lists the steps in their order.
func plan(v *catalog.View) []step {
	p := &planner{View: v, wanted: map[string]struct{}{}}
	v.Range(model.KindRule(), func(o model.Object) { p.rule(o.(*model.Rule)) })
	v.Range(model.KindEndpointGroup(), func(o model.Object) {
		g := o.(*model.EndpointGroup)
		for _, policy := range g.Policies {
			r := attachment(g.TenantName, g.GroupName, policy)
			p.want(attach, record.Attachments+r.ID.String(), r)
		}
	})
	for key, value := range v.Values() {
		p.left(key, value)
	}
	slices.SortFunc(p.steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.phase, b.phase), strings.Compare(a.key, b.key)) })
	return p.steps
}

type planner struct {
	*catalog.View
	wanted map[string]struct{} // store keys
	steps  []step
}

// rule wants the record of a rule. One that an earlier build has let in and that cannot be read as it is meant is about all peers if it
// denies, and nothing if it allows.
func (p *planner) rule(r *model.Rule) {
	if !p.Has(model.KindPolicy().Name, model.Key(r.TenantName, r.PolicyName)) {
		p.steps = append(p.steps, step{phase: removeRule, key: commit.ObjectKey(model.KindRule(), r.ObjectKey())})
		return
	}
	out, err := Rule(r)
	if err != nil && r.Action == record.ActionAllow {
		return
	}
	if err != nil {
		wide := *r
		wide.FromIpAddress, wide.ToIpAddress = "", ""
		if out, err = Rule(&wide); err != nil {
			return // of no protocol that there is
		}
	}
	phase := addAllow
	if out.Action == record.ActionDeny {
		phase = addDeny
	}
	p.want(phase, RuleKey(r.ObjectKey()), out)
}

// want notes a step when a record is not what it is to be.
func (p *planner) want(phase int, key string, value any) {
	p.wanted[key] = struct{}{}
	if text, err := json.Marshal(value); err == nil && !bytes.Equal(text, p.Value(key)) {
		p.steps = append(p.steps, step{phase, key, value})
	}
}

// left notes a step for a record that no one wants.
func (p *planner) left(key string, value []byte) {
	if _, wanted := p.wanted[key]; wanted {
		return
	}
	phase := func(allow, deny int) int {
		var r struct{ Action string }
		_ = json.Unmarshal(value, &r) // of a record that cannot be read agents deny all
		if r.Action == record.ActionAllow {
			return allow
		}
		return deny
	}
	switch {
	case strings.HasPrefix(key, record.Rules):
		p.steps = append(p.steps, step{phase: phase(removeAllow, removeDeny), key: key})
	case strings.HasPrefix(key, record.Attachments):
		p.steps = append(p.steps, step{phase: detach, key: key})
	case strings.HasPrefix(key, record.LegacyRules):
		p.steps = append(p.steps, step{phase: phase(removeLegacyAllow, removeLegacyDeny), key: key})
	case strings.HasPrefix(key, record.LegacyAttachments):
		p.steps = append(p.steps, step{phase: removeLegacyAttachment, key: key})
	}
}

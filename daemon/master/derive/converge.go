// SPDX-License-Identifier: Apache-2.0

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

// step is one record that differs from the objects, or a rule whose policy is gone.
type step struct {
	phase int
	key   string
	value any // nil: delete it
}

// The order of steps never permits traffic that a policy denies, at the price that permitted traffic may be denied meanwhile. Records of
// earlier builds are deleted when their replacements are complete.
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

// Converge returns a function for the first transactions of a term, before any other change: it updates the records of policies to the
// objects, whatever another build or an interrupted leader has left, and removes the rules of deleted policies. It writes as much as fits
// into a transaction, and nothing once all is done.
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

// rule plans the record of a rule. A rule of an earlier build that cannot be applied as intended concerns all peers if it denies, and
// nothing if it permits.
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
			return // of an unknown protocol
		}
	}
	phase := addAllow
	if out.Action == record.ActionDeny {
		phase = addDeny
	}
	p.want(phase, RuleKey(r.ObjectKey()), out)
}

// want plans a step if a record differs from its expected value.
func (p *planner) want(phase int, key string, value any) {
	p.wanted[key] = struct{}{}
	if text, err := json.Marshal(value); err == nil && !bytes.Equal(text, p.Value(key)) {
		p.steps = append(p.steps, step{phase, key, value})
	}
}

// left plans a step for a record that no object causes.
func (p *planner) left(key string, value []byte) {
	if _, wanted := p.wanted[key]; wanted {
		return
	}
	phase := func(allow, deny int) int {
		var r struct{ Action string }
		_ = json.Unmarshal(value, &r) // for an unreadable record, agents deny all
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

// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"net/netip"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/aci"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
	"github.com/contiv/contiv/daemon/record"
)

const (
	directionIn  = "in"
	directionOut = "out"
)

func createRule(tx *commit.Tx, r *model.Rule) error {
	if err := checkCombination(r); err != nil {
		return err
	}
	out, err := derive.Rule(r)
	if err != nil {
		return err
	}
	policy := model.Key(r.TenantName, r.PolicyName)
	if !tx.Has(model.KindPolicy().Name, policy) {
		return model.Errorf(model.CodeNotFound, "policyName", "Policy not found").
			Try("create it with netctl policy create --tenant %s %s", r.TenantName, r.PolicyName)
	}
	if err := checkPeers(tx, r); err != nil {
		return err
	}
	if r.Direction == directionIn && r.ToIpAddress != "" {
		if err := checkOwnAddress(tx, r); err != nil {
			return err
		}
	}
	if derive.ByACI(tx.Global()) && aci.Reaches(tx.View, policy) {
		if err := aci.Expressible(r); err != nil {
			return err
		}
	}
	return tx.Put(derive.RuleKey(r.ObjectKey()), out)
}

// updateRule replaces the old rule by the new one: one record changes, which each switch applies in one bundle, so that traffic is judged
// by one of the two at any moment.
func updateRule(tx *commit.Tx, _, now *model.Rule) error { return createRule(tx, now) }

func removeRule(tx *commit.Tx, r *model.Rule) error {
	derive.RemoveRule(tx, r.ObjectKey())
	return nil
}

// combination is two settings that exclude each other in a rule of a direction, or one that is not permitted there.
type combination struct {
	direction, field, value, with, other string
}

// checkCombination refuses settings that do not apply to the rule's direction.
func checkCombination(r *model.Rule) error {
	for _, c := range []combination{
		{direction: directionIn, field: "toNetwork", value: r.ToNetwork},
		{direction: directionIn, field: "toEndpointGroup", value: r.ToEndpointGroup},
		{directionIn, "fromNetwork", r.FromNetwork, "fromIpAddress", r.FromIpAddress},
		{directionIn, "fromNetwork", r.FromNetwork, "fromEndpointGroup", r.FromEndpointGroup},
		{direction: directionOut, field: "fromNetwork", value: r.FromNetwork},
		{direction: directionOut, field: "fromEndpointGroup", value: r.FromEndpointGroup},
		{direction: directionOut, field: "fromIpAddress", value: r.FromIpAddress},
		{directionOut, "toNetwork", r.ToNetwork, "toIpAddress", r.ToIpAddress},
		{directionOut, "toNetwork", r.ToNetwork, "toEndpointGroup", r.ToEndpointGroup},
	} {
		switch {
		case c.direction != r.Direction || c.value == "":
		case c.with == "":
			return model.Errorf(model.CodeInvalid, c.field, "Invalid rule: %s in a rule of direction %s", c.field, c.direction).
				Try("where traffic comes from is named with in, where it goes to with out")
		case c.other != "":
			return model.Errorf(model.CodeInvalid, c.field, "Invalid rule: both %s and %s", c.field, c.with).Try("leave one of them out")
		}
	}
	return nil
}

// checkPeers checks that the objects that the rule names exist.
func checkPeers(tx *commit.Tx, r *model.Rule) error {
	for _, p := range []struct {
		field, name, message string
		kind                 *model.Kind
	}{
		{"fromEndpointGroup", r.FromEndpointGroup, "endpoint group not found", model.KindEndpointGroup()},
		{"toEndpointGroup", r.ToEndpointGroup, "endpoint group not found", model.KindEndpointGroup()},
		{"fromNetwork", r.FromNetwork, "from Network not found", model.KindNetwork()},
		{"toNetwork", r.ToNetwork, "to Network not found", model.KindNetwork()},
	} {
		if p.name != "" && !tx.Has(p.kind.Name, model.Key(r.TenantName, p.name)) {
			return model.Errorf(model.CodeNotFound, p.field, "%s", p.message).Unknown(p.kind, model.Key(r.TenantName, p.name), tx.Keys)
		}
	}
	return nil
}

// checkOwnAddress permits a destination in a rule for incoming traffic if it is one container: the policy is attached to one group, and an
// endpoint of that group has the address. Kubernetes' network policies need it.
func checkOwnAddress(tx *commit.Tx, r *model.Rule) error {
	refused := model.Errorf(model.CodeInvalid, "toIpAddress", "Invalid rule: toIpAddress in a rule of direction in")
	groups := derive.AttachedTo(tx, model.Key(r.TenantName, r.PolicyName))
	if len(groups) != 1 {
		return refused.Try("attach the policy to exactly one group first; it is attached to %d", len(groups))
	}
	g, _ := tx.Object(model.KindEndpointGroup(), groups[0]).(*model.EndpointGroup)
	for _, e := range tx.EndpointsIn(g.Identity()) {
		if same(record.Text(e.IP), r.ToIpAddress) || same(record.Text(e.IP6), r.ToIpAddress) {
			return nil
		}
	}
	return refused.Try("no endpoint of group %s has the address %s", g.GroupName, r.ToIpAddress)
}

// same reports whether two texts are one address; IPv6 addresses have several spellings.
func same(a, b string) bool {
	if a == b {
		return true
	}
	x, err := netip.ParseAddr(a)
	if err != nil {
		return false
	}
	y, err := netip.ParseAddr(b)
	return err == nil && x == y
}

package desired

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
)

// putRule takes over the record of a rule. Of one that cannot be carried out as it is meant, a permission is left out;
// what is, or may be, a denial becomes one of everything in its direction, for all groups that have its policy: better too little than
// too much.
func (r *records) putRule(name string, item store.Item) error {
	id, err := identity.ParseRule(name)
	if err != nil {
		return err
	}
	var v record.Rule
	err = json.Unmarshal(item.Value, &v)
	if err == nil && v.ID != id {
		err = fmt.Errorf("it calls itself %q", v.ID)
	}
	var rule *ofnet.Rule
	if err == nil {
		rule, err = ruleOf(&v)
	}
	switch {
	case err == nil:
		r.rules.Set(id, rule)
		return nil
	case v.Action == record.ActionAllow:
		r.rules.Delete(id)
		return permissionLeftOut(err)
	}
	rule = closed(id, v.Direction)
	r.rules.Set(id, rule)
	return allDenied(rule, err)
}

func (r *records) delRule(name string) {
	if id, err := identity.ParseRule(name); err == nil {
		r.rules.Delete(id)
	}
}

// closed denies everything, in both directions when no one can tell which was meant.
func closed(id identity.Rule, direction string) *ofnet.Rule {
	d := ofnet.Both
	switch direction {
	case record.DirectionIn:
		d = ofnet.In
	case record.DirectionOut:
		d = ofnet.Out
	}
	return &ofnet.Rule{ID: id, Direction: d, Priority: ofnet.PriorityClosed, Deny: true}
}

func permissionLeftOut(err error) error { return fmt.Errorf("the permission is left out: %w", err) }

func allDenied(r *ofnet.Rule, err error) error {
	return fmt.Errorf("all traffic (%s) of groups with policy %s is denied: %w", r.Direction, r.ID.Policy, err)
}

// ruleOf makes a rule of its record.
func ruleOf(v *record.Rule) (*ofnet.Rule, error) {
	out := &ofnet.Rule{ID: v.ID, Direction: ofnet.In, Priority: uint8(v.Priority), Peers: v.Peers, Own: v.Own, Protocol: v.Protocol,
		Openings: v.Openings, Deny: v.Action == record.ActionDeny}
	if v.Direction == record.DirectionOut {
		out.Direction = ofnet.Out
	}
	if v.Group != "" {
		out.PeerGroup = v.Group + ":" + v.ID.Tenant
	}
	if v.Network != "" {
		out.PeerNetwork = v.Network + "." + v.ID.Tenant
	}
	if v.Port != 0 {
		out.Ports = []ofnet.PortRange{{First: v.Port, Last: v.Port}}
	}
	switch {
	case v.Direction != record.DirectionIn && v.Direction != record.DirectionOut:
		return nil, fmt.Errorf("want direction %s or %s, got %q", record.DirectionIn, record.DirectionOut, v.Direction)
	case v.Action != record.ActionAllow && v.Action != record.ActionDeny:
		return nil, fmt.Errorf("want action %s or %s, got %q", record.ActionAllow, record.ActionDeny, v.Action)
	case slices.ContainsFunc(slices.Concat(v.Peers, v.Own), func(p netip.Prefix) bool { return !p.IsValid() || p.Addr().Is4In6() }):
		return nil, fmt.Errorf("want prefixes of IPv4 and IPv6, got %v and %v", v.Peers, v.Own)
	}
	return out, carriedOut(out, v.Priority)
}

// carriedOut says why a rule cannot be.
func carriedOut(r *ofnet.Rule, priority int) error {
	switch {
	case priority < 1 || priority > ofnet.PriorityMost:
		return fmt.Errorf("want a priority within 1..%d, got %d", ofnet.PriorityMost, priority)
	case len(r.Ports) > 0 && r.Protocol != ofnet.ProtocolTCP && r.Protocol != ofnet.ProtocolUDP && r.Protocol != ofnet.ProtocolSCTP:
		return fmt.Errorf("want a port with TCP, UDP and SCTP only, got %v with protocol %d", r.Ports, r.Protocol)
	case r.Openings && r.Protocol != ofnet.ProtocolTCP:
		return fmt.Errorf("want openings of TCP only, got them with protocol %d", r.Protocol)
	}
	return nil
}

// putAttachment takes over that a group has a policy, which the key says alone. Whatever the value says, it has it: rules that judge
// nothing would let pass what they deny.
func (r *records) putAttachment(name string, item store.Item) error {
	id, err := identity.ParseAttachment(name)
	if err != nil {
		return err
	}
	r.attachments.Set(id, &ofnet.Attachment{ID: id})
	var v record.Attachment
	if err = json.Unmarshal(item.Value, &v); err == nil && v.ID != id {
		err = fmt.Errorf("it calls itself %q", v.ID)
	}
	if err != nil {
		return fmt.Errorf("group %s has policy %s all the same: %w", id.Group, id.Policy, err)
	}
	return nil
}

func (r *records) delAttachment(name string) {
	if id, err := identity.ParseAttachment(name); err == nil {
		r.attachments.Delete(id)
	}
}

// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
)

// putRule applies the record of a rule.
func (r *records) putRule(name string, item channel.Item) error {
	id, err := identity.ParseRule(name)
	if err != nil {
		return err
	}
	var v record.Rule
	if err = json.Unmarshal(item.Value, &v); err == nil && v.ID != id {
		err = fmt.Errorf("it calls itself %q", v.ID)
	}
	v.ID = id
	rule, err := judging(&v, err)
	setFunc(r.rules, id, rule, (*ofnet.Rule).Equal)
	return err
}

func (r *records) delRule(name string) {
	if id, err := identity.ParseRule(name); err == nil {
		r.rules.Delete(id)
	}
}

// judging returns the enforceable form of a rule's record that wrong declares malformed. A permission is dropped, and the result is nil; a
// denial, or a possible one, becomes a denial of everything in its direction, for all groups that have its policy: rather too little
// traffic than too much.
func judging(v *record.Rule, wrong error) (*ofnet.Rule, error) {
	rule := &ofnet.Rule{ID: v.ID, Direction: ofnet.Both, Priority: uint8(v.Priority), Peers: v.Peers, Own: v.Own, Protocol: v.Protocol,
		Openings: v.Openings, Deny: v.Action == record.ActionDeny}
	switch v.Direction {
	case record.DirectionIn:
		rule.Direction = ofnet.In
	case record.DirectionOut:
		rule.Direction = ofnet.Out
	}
	if wrong == nil {
		wrong = faults(v)
	}
	switch {
	case wrong == nil:
	case v.Action == record.ActionAllow:
		return nil, fmt.Errorf("the permission is left out: %w", wrong)
	default:
		closed := &ofnet.Rule{ID: v.ID, Direction: rule.Direction, Priority: ofnet.PriorityClosed, Deny: true}
		return closed, fmt.Errorf("all traffic (%s) of groups with policy %s is denied: %w", rule.Direction, v.ID.Policy, wrong)
	}
	if v.Group != "" {
		rule.PeerGroup = identity.Group{Tenant: v.ID.Tenant, Name: v.Group}.String()
	}
	if v.Network != "" {
		rule.PeerNetwork = identity.Network{Tenant: v.ID.Tenant, Name: v.Network}.String()
	}
	if v.Port != 0 {
		rule.Ports = []ofnet.PortRange{{First: v.Port, Last: v.Port}}
	}
	return rule, nil
}

// faults returns why a record cannot be enforced.
func faults(v *record.Rule) error {
	switch {
	case v.Direction != record.DirectionIn && v.Direction != record.DirectionOut:
		return fmt.Errorf("want direction %s or %s, got %q", record.DirectionIn, record.DirectionOut, v.Direction)
	case v.Action != record.ActionAllow && v.Action != record.ActionDeny:
		return fmt.Errorf("want action %s or %s, got %q", record.ActionAllow, record.ActionDeny, v.Action)
	case v.Priority < 1 || v.Priority > ofnet.MaxPriority:
		return fmt.Errorf("want a priority within 1..%d, got %d", ofnet.MaxPriority, v.Priority)
	case v.Port != 0 && v.Protocol != ofnet.ProtocolTCP && v.Protocol != ofnet.ProtocolUDP && v.Protocol != ofnet.ProtocolSCTP:
		return fmt.Errorf("want a port with TCP, UDP and SCTP only, got %d with protocol %d", v.Port, v.Protocol)
	case v.Openings && v.Protocol != ofnet.ProtocolTCP:
		return fmt.Errorf("want openings of TCP only, got them with protocol %d", v.Protocol)
	case slices.ContainsFunc(slices.Concat(v.Peers, v.Own), func(p netip.Prefix) bool { return !p.IsValid() || p.Addr().Is4In6() }):
		return fmt.Errorf("want prefixes of IPv4 and IPv6, got %v and %v", v.Peers, v.Own)
	}
	return nil
}

// putAttachment records that a group has a policy, which the key states. A malformed value has no effect on that: without the policy, the
// group's rules would permit what they deny.
func (r *records) putAttachment(name string, item channel.Item) error {
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
		return fmt.Errorf("group %s nevertheless has policy %s: %w", id.Group, id.Policy, err)
	}
	return nil
}

func (r *records) delAttachment(name string) {
	if id, err := identity.ParseAttachment(name); err == nil {
		r.attachments.Delete(id)
	}
}

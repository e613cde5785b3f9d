// SPDX-License-Identifier: Apache-2.0

// Package judge evaluates the rules and class policies of a State for the first packet of a connection, as their documentation defines
// them. It knows no flows or tables, so that the behavior of a switch can be compared with it.
package judge

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/ofnet"
)

// Packet opens a connection; a TCP packet has only the flag SYN.
type Packet struct {
	Src, Dst netip.Addr
	Protocol uint8  // ProtocolICMP includes ICMPv6
	Port     uint16 // of the destination; 0 for protocols without ports
}

// Verdict is the result for a packet.
type Verdict struct {
	Allowed bool
	By      ofnet.Key // the rule or the policy that decides; the zero Key: none does
}

// Sent evaluates the sender's side: from is an endpoint on this host, and to the endpoint with the packet's destination, nil if there is none.
func Sent(s *ofnet.State, from, to *ofnet.Endpoint, p Packet) Verdict {
	return side{s, ofnet.Out, from, to, p.Src, p.Dst, p}.verdict()
}

// Received evaluates the receiver's side: to is an endpoint on this host, and from the endpoint with the packet's source, nil if there is
// none.
func Received(s *ofnet.State, from, to *ofnet.Endpoint, p Packet) Verdict {
	return side{s, ofnet.In, to, from, p.Dst, p.Src, p}.verdict()
}

// side is a packet as one of its ends sees it.
type side struct {
	*ofnet.State
	direction ofnet.Direction
	own, far  *ofnet.Endpoint
	ownAddr   netip.Addr
	farAddr   netip.Addr
	packet    Packet
}

// verdict joins both kinds of policies: a packet passes if both allow it.
func (x side) verdict() Verdict {
	rules := x.rules()
	if !rules.Allowed {
		return rules
	}
	classes := x.classes()
	if !classes.Allowed || classes.By != (ofnet.Key{}) {
		return classes
	}
	return rules
}

// rules evaluates the rules of the end's group: the highest priority with a matching rule counts, and of equal ones a denial.
func (x side) rules() Verdict {
	if x.own.Group == "" {
		return Verdict{Allowed: true}
	}
	tiers := slices.DeleteFunc(x.TiersOf(x.own.Group), func(t ofnet.Tier) bool { return t.Direction != x.direction })
	slices.SortFunc(tiers, func(a, b ofnet.Tier) int { return cmp.Compare(b.Priority, a.Priority) })
	for _, t := range slices.Compact(tiers) {
		_, rules := x.RulesOf(t.Key())
		var by *ofnet.AttachedRule
		for i := range rules {
			if r := &rules[i]; x.matches(r.Rule) && (by == nil || r.Deny && !by.Deny) {
				by = r
			}
		}
		if by != nil {
			return Verdict{Allowed: !by.Deny, By: by.Key()}
		}
	}
	return Verdict{Allowed: true}
}

// matches reports whether a rule is about the packet.
func (x side) matches(r *ofnet.Rule) bool {
	switch {
	case r.PeerGroup != "" && (x.far == nil || x.far.Group != r.PeerGroup || x.Groups.Get(r.PeerGroup) == nil),
		r.PeerNetwork != "" && !x.onNetwork(r.PeerNetwork),
		!within(r.Peers, x.farAddr), !within(r.Own, x.ownAddr),
		r.Protocol != ofnet.ProtocolAny && r.Protocol != x.packet.Protocol:
		return false
	}
	return len(r.Ports) == 0 || slices.ContainsFunc(r.Ports, func(p ofnet.PortRange) bool { return p.First <= x.packet.Port && x.packet.Port <= p.Last })
}

// onNetwork reports whether the other side's address is one of a segment's.
func (x side) onNetwork(name string) bool {
	n := x.Segments.Get(name)
	if n == nil {
		return false
	}
	if x.farAddr.Is6() {
		return n.Prefix6.IsValid() && n.Prefix6.Contains(x.farAddr)
	}
	return n.Prefix4.IsValid() && n.Prefix4.Contains(x.farAddr) && (!n.First4.IsValid() || !x.farAddr.Less(n.First4) && !n.Last4.Less(x.farAddr))
}

// within reports whether one of the prefixes includes an address; no prefixes include all.
func within(list []netip.Prefix, a netip.Addr) bool {
	return len(list) == 0 || slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// classes evaluates the class policies: those of StageAdmin, until one decides; those of StageNamespace; those of StageBaseline.
func (x side) classes() Verdict {
	if v, decided := x.ordered(ofnet.StageAdmin); decided {
		return v
	}
	for p := range x.ClassPolicies.Values() {
		if p.Stage == ofnet.StageNamespace && p.Direction == x.direction && slices.ContainsFunc(p.Rules, func(r ofnet.ClassRule) bool { return x.concerns(&r) }) {
			return Verdict{Allowed: true, By: p.Key()}
		}
	}
	if x.own.Isolated&x.direction != 0 {
		return Verdict{}
	}
	v, _ := x.ordered(ofnet.StageBaseline)
	return v
}

// ordered evaluates the policies of a stage in their order. decided is false if no rule matches, or the first one passes.
func (x side) ordered(stage ofnet.Stage) (v Verdict, decided bool) {
	var policies []*ofnet.ClassPolicy
	for p := range x.ClassPolicies.Values() {
		if p.Stage == stage && p.Direction == x.direction {
			policies = append(policies, p)
		}
	}
	slices.SortFunc(policies, func(a, b *ofnet.ClassPolicy) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), strings.Compare(a.Name, b.Name))
	})
	for _, p := range policies {
		var first *ofnet.ClassRule
		for i := range p.Rules {
			if r := &p.Rules[i]; x.concerns(r) && (first == nil || r.Place < first.Place) {
				first = r
			}
		}
		if first == nil {
			continue
		}
		return Verdict{Allowed: first.Action != ofnet.Deny, By: p.Key()}, first.Action != ofnet.Pass
	}
	return Verdict{Allowed: true}, false
}

// concerns reports whether a rule of a class policy is about the packet.
func (x side) concerns(r *ofnet.ClassRule) bool {
	if !contains(r.Subjects, x.own.Class) {
		return false
	}
	if !r.Anyone && !(x.far != nil && contains(r.Peers, x.far.Class)) && !slices.ContainsFunc(r.Prefixes, func(p netip.Prefix) bool { return p.Contains(x.farAddr) }) {
		return false
	}
	return len(r.Ports) == 0 || slices.ContainsFunc(r.Ports, func(p ofnet.ProtocolPorts) bool {
		return p.Protocol == x.packet.Protocol && p.First <= x.packet.Port && x.packet.Port <= p.Last
	})
}

func contains(classes []uint32, class uint32) bool {
	_, ok := slices.BinarySearch(classes, class)
	return class != 0 && ok
}

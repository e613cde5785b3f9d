// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"net/netip"

	"github.com/contiv/contiv/api/model"
)

// Point is one address on one side: an endpoint's, or one outside of Contiv.
type Point struct {
	Group   *model.EndpointGroup // nil if it has none
	Network string               // name of the network it is attached to; "" outside
	Addr    netip.Addr
}

// Packet returns the decision for a packet that opens a connection between two addresses. Unlike Between it leaves open only what the
// objects do not determine: a rule with an invalid address.
func (p *Policies) Packet(from, to Point, t Traffic) Decision {
	return p.decide(from, to, t, func(*model.Rule) bool { return true })
}

// Echo returns the decision for the answer to a ping, in the direction of from to to: only rules about ICMP judge it.
func (p *Policies) Echo(from, to Point) Decision {
	t := Traffic{Protocol: ICMP}
	if from.Addr.Is6() {
		t.Protocol = ICMPv6
	}
	return p.decide(from, to, t, func(r *model.Rule) bool { return protocol(r) != 0 })
}

func (p *Policies) decide(from, to Point, t Traffic, heard func(*model.Rule) bool) Decision {
	d := Decision{Traffic: t, Out: p.receive(from, to, t, "out", heard), In: p.receive(to, from, t, "in", heard)}
	switch {
	case d.Out.Fate == Denied || d.In.Fate == Denied:
		d.Fate = Denied
	case d.Out.Fate == Depends || d.In.Fate == Depends:
		d.Fate = Depends
	}
	return d
}

// receive evaluates the rules of one direction of own's group, as judge does for groups.
func (p *Policies) receive(own, far Point, t Traffic, direction string, heard func(*model.Rule) bool) Judgement {
	var open *model.Rule
	for _, r := range p.of(Party{own.Group}, direction) {
		if unreadable(r) {
			return Judgement{Denied, r}
		}
		if !speaksOf(r, t) || !heard(r) {
			continue
		}
		switch min(p.about(r, far), p.owns(r, own)) {
		case always:
			if open != nil && fateOf(open) != fateOf(r) {
				return Judgement{Depends, open}
			}
			return Judgement{fateOf(r), r}
		case perhaps:
			open = cmp.Or(open, r)
		}
	}
	if open != nil && fateOf(open) == Denied {
		return Judgement{Depends, open}
	}
	return Judgement{}
}

// about reports whether a rule's other side is far.
func (p *Policies) about(r *model.Rule, far Point) match {
	group, network, address := r.FromEndpointGroup, r.FromNetwork, r.FromIpAddress
	if r.Direction == "out" {
		group, network, address = r.ToEndpointGroup, r.ToNetwork, r.ToIpAddress
	}
	if group != "" && (far.Group == nil || far.Group.GroupName != group) {
		return never
	}
	m := holds(address, far.Addr)
	if network == "" || network == far.Network {
		return m
	}
	spaces := p.subnets
	if far.Addr.Is6() {
		spaces = p.sixes
	}
	space, known := spaces[network]
	switch {
	case !known:
		return never
	case space.valid():
		return min(m, inSpace(space, far.Addr))
	case far.Network != "":
		return never
	}
	return min(m, perhaps)
}

// owns reports whether a rule applies to own's address: in one for incoming traffic, toIpAddress is one container's.
func (p *Policies) owns(r *model.Rule, own Point) match {
	if r.Direction == "in" {
		return holds(r.ToIpAddress, own.Addr)
	}
	return always
}

// holds reports whether a rule's address includes an address; "" is any.
func holds(written string, a netip.Addr) match {
	if written == "" {
		return always
	}
	space := parseSpace(written)
	if !space.valid() {
		return perhaps
	}
	return inSpace(space, a)
}

func inSpace(s space, a netip.Addr) match {
	if a.BitLen() != s.first.BitLen() || a.Less(s.first) || s.last.Less(a) {
		return never
	}
	return always
}

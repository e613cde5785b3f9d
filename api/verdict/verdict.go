// SPDX-License-Identifier: Apache-2.0

// Package verdict evaluates policies: a pure function over rules, by the rules of docs/explanation/policy.md. It judges packets that open
// a connection, between groups and between a group and the outside. It does not determine whether there is a path at all - the same
// tenant, a route, a running host.
package verdict

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// Fate is the result for traffic.
type Fate uint8

// The fates.
const (
	Allowed Fate = iota
	Denied
	Depends // on the address of a party
)

// String is the fate in a word.
func (f Fate) String() string { return [...]string{"allowed", "denied", "depends"}[f] }

// Traffic is a class of packets that no rule distinguishes. The zero Traffic is everything that no class of the list names.
type Traffic struct {
	Protocol int // IP protocol number; 0: any that is not listed
	Port     int // that is connected to; 0: any that is not listed
	Last     int // of a range that begins with Port; 0: only Port
}

// Numbers of IP protocols.
const (
	ICMP   = 1
	TCP    = 6
	UDP    = 17
	ICMPv6 = 58
	SCTP   = 132
)

// String describes the class: "tcp 8080", "tcp" for its other ports, "other" for protocols that no rule names.
func (t Traffic) String() string {
	name := map[int]string{0: "other", ICMP: "icmp", TCP: "tcp", UDP: "udp", ICMPv6: "icmp6", SCTP: "sctp"}[t.Protocol]
	if name == "" {
		name = "ip " + strconv.Itoa(t.Protocol)
	}
	if t.Port != 0 {
		name += " " + strconv.Itoa(t.Port)
	}
	if t.Last != 0 {
		name += "-" + strconv.Itoa(t.Last)
	}
	return name
}

// Judgement is the result of one side's policies, and the deciding rule; By is nil if no rule matches.
type Judgement struct {
	Fate Fate
	By   *model.Rule
}

// Decision is the fate of one class of traffic: what the sender's policies let out and the receiver's let in.
type Decision struct {
	Traffic
	Fate    Fate
	Out, In Judgement
}

// By is the deciding rule: the denying one, otherwise one that allows, the receiver's first; nil if none matches.
func (d *Decision) By() *model.Rule {
	switch {
	case d.Out.Fate == d.Fate && d.Fate != Allowed:
		return d.Out.By
	case d.In.By != nil:
		return d.In.By
	}
	return d.Out.By
}

// Party is one side of a conversation: a group, or everything outside of Contiv if Group is nil.
type Party struct{ Group *model.EndpointGroup }

// Name is the group's name, or "outside".
func (p Party) Name() string {
	if p.Group == nil {
		return "outside"
	}
	return p.Group.GroupName
}

// Policies are the rules of one tenant, ready for evaluation.
type Policies struct {
	subnets map[string]space // by network name
	sixes   map[string]space // of networks that also have IPv6
	rules   map[string][]*model.Rule
	groups  []*model.EndpointGroup
}

// New returns a tenant's policies from groups, networks and rules that may include those of others.
func New(tenant string, groups, networks, rules []model.Object) *Policies {
	p := &Policies{subnets: map[string]space{}, sixes: map[string]space{}, rules: map[string][]*model.Rule{}}
	for _, o := range networks {
		if n, ok := o.(*model.Network); ok && n.TenantName == tenant {
			p.subnets[n.NetworkName] = parseSpace(n.Subnet)
			if n.Ipv6Subnet != "" {
				p.sixes[n.NetworkName] = parseSpace(n.Ipv6Subnet)
			}
		}
	}
	for _, o := range groups {
		if g, ok := o.(*model.EndpointGroup); ok && g.TenantName == tenant {
			p.groups = append(p.groups, g)
		}
	}
	slices.SortFunc(p.groups, func(a, b *model.EndpointGroup) int { return cmp.Compare(a.GroupName, b.GroupName) })
	for _, o := range rules {
		if r, ok := o.(*model.Rule); ok && r.TenantName == tenant {
			p.rules[r.PolicyName] = append(p.rules[r.PolicyName], r)
		}
	}
	return p
}

// Parties are the tenant's groups by name, and the outside.
func (p *Policies) Parties() []Party {
	var out []Party
	for _, g := range p.groups {
		out = append(out, Party{g})
	}
	return append(out, Party{})
}

// Between returns what from may open towards to, by classes of traffic, the narrower ones first and the rest last. It applies the rules of
// both sides. For outside to outside the list is empty.
func (p *Policies) Between(from, to Party) []Decision {
	if from.Group == nil && to.Group == nil {
		return nil
	}
	out, in := p.of(from, "out"), p.of(to, "in")
	var all []Decision
	for _, t := range classes(out, in) {
		d := Decision{Traffic: t, Out: p.judge(out, from, to, t), In: p.judge(in, to, from, t)}
		switch {
		case d.Out.Fate == Denied || d.In.Fate == Denied:
			d.Fate = Denied
		case d.Out.Fate == Depends || d.In.Fate == Depends:
			d.Fate = Depends
		}
		all = append(all, d)
	}
	return all
}

// of returns the rules of one direction of a party's policies, in the order in which they decide.
func (p *Policies) of(party Party, direction string) []*model.Rule {
	if party.Group == nil {
		return nil
	}
	var out []*model.Rule
	for _, name := range party.Group.Policies {
		for _, r := range p.rules[name] {
			if r.Direction == direction && (!unreadable(r) || r.Action == "deny") {
				out = append(out, r)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *model.Rule) int {
		return cmp.Or(trueFirst(unreadable(a), unreadable(b)), cmp.Compare(b.Priority, a.Priority), cmp.Compare(b.Action, a.Action), cmp.Compare(a.ObjectKey(), b.ObjectKey()))
	})
	return out
}

// judge applies the rules of own's side to traffic with far. A rule that may or may not match a packet leaves the result open only if
// without it the result would differ.
func (p *Policies) judge(rules []*model.Rule, own, far Party, t Traffic) Judgement {
	var open *model.Rule
	end := Judgement{}
	for _, r := range rules {
		if unreadable(r) {
			return Judgement{Denied, r}
		}
		if !speaksOf(r, t) {
			continue
		}
		match := min(p.names(r, far), p.covers(r, own))
		if match == never {
			continue
		}
		if match == always {
			end = Judgement{fateOf(r), r}
			break
		}
		if open == nil {
			open = r
		} else if fateOf(open) != fateOf(r) {
			return Judgement{Depends, open}
		}
	}
	if open != nil && fateOf(open) != end.Fate {
		return Judgement{Depends, open}
	}
	return end
}

func fateOf(r *model.Rule) Fate {
	if r.Action == "deny" {
		return Denied
	}
	return Allowed
}

// classes are the kinds of traffic that the rules distinguish, narrow ones first.
func classes(lists ...[]*model.Rule) []Traffic {
	seen := map[Traffic]bool{{}: true}
	for _, rules := range lists {
		for _, r := range rules {
			n := protocol(r)
			if n == 0 {
				continue
			}
			seen[Traffic{Protocol: n}] = true
			if n == ICMP {
				seen[Traffic{Protocol: ICMPv6}] = true
			}
			if r.Port != 0 && !unreadable(r) {
				seen[Traffic{Protocol: n, Port: r.Port}] = true
			}
		}
	}
	out := make([]Traffic, 0, len(seen))
	for t := range seen {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b Traffic) int {
		return cmp.Or(trueFirst(a.Protocol != 0, b.Protocol != 0), cmp.Compare(a.Protocol, b.Protocol),
			trueFirst(a.Port != 0, b.Port != 0), cmp.Compare(a.Port, b.Port))
	})
	return out
}

// trueFirst compares two conditions: true sorts before false.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// protocol is the number of a rule's protocol, 0 for any.
func protocol(r *model.Rule) int {
	switch r.Protocol {
	case "icmp":
		return ICMP
	case "tcp":
		return TCP
	case "udp":
		return UDP
	}
	n, err := strconv.Atoi(r.Protocol)
	if err != nil {
		return 0
	}
	return n
}

// unreadable reports whether agents cannot apply a rule: it has a port, but no protocol with ports. They skip such a permission, and for
// such a denial close the group in that direction.
func unreadable(r *model.Rule) bool {
	n := protocol(r)
	return r.Port != 0 && n != TCP && n != UDP && n != SCTP
}

// speaksOf reports whether a rule matches a class of traffic.
func speaksOf(r *model.Rule, t Traffic) bool {
	n := protocol(r)
	if n != 0 && n != t.Protocol && (n != ICMP || t.Protocol != ICMPv6) {
		return false
	}
	return r.Port == 0 || r.Port == t.Port
}

// match is how certainly a rule names a party.
type match uint8

const (
	never match = iota
	perhaps
	always
)

// names reports whether a rule's other side is far.
func (p *Policies) names(r *model.Rule, far Party) match {
	group, network, address := r.FromEndpointGroup, r.FromNetwork, r.FromIpAddress
	if r.Direction == "out" {
		group, network, address = r.ToEndpointGroup, r.ToNetwork, r.ToIpAddress
	}
	if group != "" && (far.Group == nil || far.Group.GroupName != group) {
		return never
	}
	m := always
	if network != "" {
		switch {
		case far.Group == nil:
			m = perhaps // a machine beyond the uplink may have an address of the network
		case far.Group.NetworkName != network:
			return never
		}
	}
	return min(m, p.within(address, far))
}

// covers reports whether a rule applies to all of its own group: in a rule for incoming traffic, toIpAddress is one container.
func (p *Policies) covers(r *model.Rule, own Party) match {
	if r.Direction == "in" {
		return p.within(r.ToIpAddress, own)
	}
	return always
}

// within reports whether a rule's address includes a party's addresses; "" is any.
func (p *Policies) within(address string, party Party) match {
	if address == "" {
		return always
	}
	rule := parseSpace(address)
	if !rule.valid() {
		return perhaps
	}
	if party.Group == nil {
		return perhaps
	}
	own := p.subnets[party.Group.NetworkName]
	if pool := parseSpace(party.Group.IpPool); pool.valid() {
		own = pool
	}
	six, both := p.sixes[party.Group.NetworkName]
	if rule.first.Is6() {
		if !both || six.valid() && six.apart(rule) {
			return never
		}
		return perhaps // its containers also have IPv4
	}
	switch {
	case !own.valid():
		return perhaps
	case own.apart(rule):
		return never
	case !own.first.Less(rule.first) && !rule.last.Less(own.last) && !both:
		return always
	}
	return perhaps
}

// space is a range of addresses of one family.
type space struct{ first, last netip.Addr }

func (s space) valid() bool {
	return s.first.IsValid() && s.first.BitLen() == s.last.BitLen() && !s.last.Less(s.first)
}

// apart reports whether no address is in both, which are of one family.
func (s space) apart(o space) bool { return s.last.Less(o.first) || o.last.Less(s.first) }

// parseSpace parses an address, "ADDRESS/LENGTH", and of IPv4 "a.b.c.d-e", "a.b.c.d-a.b.c.e" and these two with a length, which is then
// ignored. Any other text is an invalid space.
func parseSpace(text string) space {
	body, length, cut := strings.Cut(text, "/")
	low, high, isRange := strings.Cut(body, "-")
	first, err := netip.ParseAddr(low)
	if err != nil || first.Is4In6() || first.Zone() != "" || first.Is6() && isRange {
		return space{}
	}
	switch {
	case isRange && !strings.Contains(high, "."):
		high = low[:strings.LastIndexByte(low, '.')+1] + high
		fallthrough
	case isRange:
		last, err := netip.ParseAddr(high)
		if err != nil {
			return space{}
		}
		return space{first, last}
	case !cut:
		return space{first, first}
	}
	bits, err := strconv.Atoi(length)
	if err != nil || bits < 0 || bits > first.BitLen() {
		return space{}
	}
	base := netip.PrefixFrom(first, bits).Masked().Addr()
	last := base.AsSlice()
	for i := bits; i < first.BitLen(); i++ {
		last[i/8] |= 0x80 >> (i % 8)
	}
	end, _ := netip.AddrFromSlice(last)
	return space{base, end}
}

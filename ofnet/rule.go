// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/identity"
)

// Direction is the side of the judged packets on which a Rule's groups are.
type Direction uint8

// The directions: In judges packets that members of the group receive, Out packets that they send. Only rules that close use Both.
const (
	In Direction = 1 << iota
	Out
	Both = In | Out
)

// String is in, out or both.
func (d Direction) String() string {
	switch d {
	case In:
		return "in"
	case Out:
		return "out"
	}
	return "both"
}

// Protocols that rules name (IANA, "Protocol Numbers"). ProtocolICMP includes ICMPv6.
const (
	ProtocolAny  = 0
	ProtocolICMP = 1
	ProtocolTCP  = 6
	ProtocolUDP  = 17
	ProtocolSCTP = 132
)

// PortRange is a range of ports, both ends included.
type PortRange struct{ First, Last uint16 }

// Priorities of rules: an operator's are up to MaxPriority; PriorityClosed is above them all, for rules that deny because the intended rule
// is unreadable.
const (
	MaxPriority    = 100
	PriorityClosed = 200
)

// Rule judges the packets that open connections to or from the members of the groups that its policy is attached to. Of the matching rules
// of a group and direction the one with the highest priority counts, and of those with equal priority one that denies; a packet without a
// matching rule passes. Later packets of an admitted connection pass until a rule changes; then the next packet is judged like a first one.
// Answers pass, except those of ICMP: rules about ICMP judge these too.
//
// A Rule in a State is never modified, only replaced.
type Rule struct {
	ID        identity.Rule
	Direction Direction
	Priority  uint8 // 1..MaxPriority, or PriorityClosed
	// PeerGroup is a key of State.Groups, of which the other side must be a member, PeerNetwork one of State.Segments, whose addresses must
	// include the other side's; both are of the rule's tenant. "": any. A rule that names a missing one matches nothing.
	PeerGroup, PeerNetwork string
	// Peers are prefixes, one of which must include the other side's address, Own those for the member's address; both families may be
	// mixed. Empty: any.
	Peers, Own []netip.Prefix
	Protocol   uint8       // IP protocol; ProtocolAny: all
	Ports      []PortRange // of the side that is connected to, for TCP, UDP and SCTP; empty: any
	// Openings makes a TCP rule ignore a connection that was already open when the switch first saw it.
	Openings bool
	Deny     bool
}

// Equal reports whether two rules are equal.
func (r *Rule) Equal(o *Rule) bool {
	return r.ID == o.ID && r.Direction == o.Direction && r.Priority == o.Priority && r.PeerGroup == o.PeerGroup && r.PeerNetwork == o.PeerNetwork &&
		slices.Equal(r.Peers, o.Peers) && slices.Equal(r.Own, o.Own) && r.Protocol == o.Protocol &&
		slices.Equal(r.Ports, o.Ports) && r.Openings == o.Openings && r.Deny == o.Deny
}

// Attachment is the attachment of a policy to a group. It is never modified.
type Attachment struct{ ID identity.Attachment }

// Group is the group, a key of State.Groups.
func (a *Attachment) Group() string { return a.ID.Group.String() }

// Policy is the policy whose rules judge the group's members.
func (a *Attachment) Policy() identity.Policy { return a.ID.Of() }

// AttachedRule is a rule as it judges one group.
type AttachedRule struct {
	*Rule
	By *Attachment // one of its policy
}

// Key is the key by which cookies and connections name the rule and the group, by a hash.
func (r AttachedRule) Key() Key {
	at := r.By.ID
	return Key{KindRule, identity.AttachedRule{Tenant: at.Tenant, Group: at.Name, Policy: at.Policy, Rule: r.ID.Rule}.String()}
}

// Tier returns the tier of the rule's flows; for a rule that closes both directions, the one of the first.
func (r AttachedRule) Tier() Tier {
	t := Tier{r.By.Group(), Out, r.Priority}
	if r.Direction&In != 0 {
		t.Direction = In
	}
	return t
}

// Tier is the rules of one group, direction and priority: they share flows, and so they are compiled together.
type Tier struct {
	Group     string
	Direction Direction
	Priority  uint8
}

// Key is the tier's key, such as policy/web:blue/in/10.
func (t Tier) Key() Key {
	return Key{KindPolicy, t.Group + "/" + t.Direction.String() + "/" + strconv.Itoa(int(t.Priority))}
}

// tierOf returns the tier with a key; ok is false if there is none.
func tierOf(k Key) (t Tier, ok bool) {
	rest, priority := cutLast(k.Name)
	group, direction := cutLast(rest)
	n, err := strconv.ParseUint(priority, 10, 8)
	t = Tier{Group: group, Direction: Out, Priority: uint8(n)}
	if direction == In.String() {
		t.Direction = In
	}
	return t, err == nil && t.Key() == k
}

func cutLast(text string) (before, after string) {
	at := strings.LastIndexByte(text, '/')
	if at < 0 {
		return text, ""
	}
	return text[:at], text[at+1:]
}

// compare orders tiers by group, direction, priority.
func (t Tier) compare(o Tier) int {
	return cmp.Or(strings.Compare(t.Group, o.Group), cmp.Compare(t.Direction, o.Direction), cmp.Compare(t.Priority, o.Priority))
}

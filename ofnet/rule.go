package ofnet

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/identity"
)

// Direction says on which side of the packets that a Rule judges its groups are.
type Direction uint8

// The directions: In judges what members of the group receive, Out what they send. Both is of rules that close alone.
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

// Protocols that rules speak of by name (IANA, "Protocol Numbers"). ProtocolICMP stands for ICMPv6 too.
const (
	ProtocolAny  = 0
	ProtocolICMP = 1
	ProtocolTCP  = 6
	ProtocolUDP  = 17
	ProtocolSCTP = 132
)

// PortRange is a range of ports, both ends included.
type PortRange struct{ First, Last uint16 }

// Priorities of rules: an operator's are up to MaxPriority; PriorityClosed is above them all, for what must be denied
// because no one can tell what was meant.
const (
	MaxPriority    = 100
	PriorityClosed = 200
)

// Rule judges the packets that open connections to or from the members of the groups that its policy is attached to. Of the
// rules of a group and direction that match a packet the one with the highest priority counts, and of those with equal priority
// one that denies; a packet that none matches passes. What follows in an admitted connection passes until a rule changes; then
// its next packet is judged like a first one. Answers pass, but for those of ICMP: rules about ICMP judge these too.
//
// A Rule in a State is not changed; another takes its place.
type Rule struct {
	ID        identity.Rule
	Direction Direction
	Priority  uint8 // 1..MaxPriority, or PriorityClosed
	// PeerGroup is a key of State.Groups, of which the other side must be a member, PeerNetwork one of State.Segments, among whose
	// addresses the other side's must be; both are of the rule's tenant. "": any. Of one that is not there the rule matches nothing.
	PeerGroup, PeerNetwork string
	// Peers are prefixes of which the other side's address must be in one, Own those for the member's address; both
	// families may be mixed. Empty: any.
	Peers, Own []netip.Prefix
	Protocol   uint8       // IP protocol; ProtocolAny: all
	Ports      []PortRange // of the side that is connected to, for TCP, UDP and SCTP; empty: any
	// Openings makes a TCP rule spare a connection that the switch first met when it was open already.
	Openings bool
	Deny     bool
}

// Equal says whether two rules say the same.
func (r *Rule) Equal(o *Rule) bool {
	return r.ID == o.ID && r.Direction == o.Direction && r.Priority == o.Priority && r.PeerGroup == o.PeerGroup && r.PeerNetwork == o.PeerNetwork &&
		slices.Equal(r.Peers, o.Peers) && slices.Equal(r.Own, o.Own) && r.Protocol == o.Protocol &&
		slices.Equal(r.Ports, o.Ports) && r.Openings == o.Openings && r.Deny == o.Deny
}

// Attachment says that a group has a policy. It is not changed.
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

// Tier is where the rule's flows belong; of one that closes both directions, those of the first.
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

// tierOf is the tier that has a key; ok is false when none has.
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

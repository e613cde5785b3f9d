package ofnet

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
)

// Direction says on which side of the packets that a Rule judges its group is.
type Direction uint8

// The directions: In judges what members of the group receive, Out what they send.
const (
	In Direction = iota + 1
	Out
)

// String is in or out.
func (d Direction) String() string {
	if d == In {
		return "in"
	}
	return "out"
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

// Priorities of rules: an operator's are up to PriorityMost; PriorityClosed is above them all, for what must be denied
// because no one can tell what was meant.
const (
	PriorityMost   = 100
	PriorityClosed = 200
)

// Rule judges the packets that open connections to or from the members of a group. Of the rules of a group and
// direction that match a packet the one with the highest priority counts, and of those with equal priority one that
// denies; a packet that none matches passes. What follows in an admitted connection passes until a rule changes; then
// its next packet is judged like a first one. Answers pass, but for those of ICMP: rules about ICMP judge these too.
//
// A Rule in a State is not changed; another takes its place.
type Rule struct {
	ID        string    // identity in the store; cookies and connections name it by a hash
	Tenant    string    // a key of State.Tenants
	Group     string    // a key of State.Groups
	Direction Direction //
	Priority  uint8     // 1..PriorityMost, or PriorityClosed
	PeerGroup uint32    // number of the other side's group; 0: any
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
	return r.ID == o.ID && r.Tenant == o.Tenant && r.Group == o.Group && r.Direction == o.Direction && r.Priority == o.Priority &&
		r.PeerGroup == o.PeerGroup && slices.Equal(r.Peers, o.Peers) && slices.Equal(r.Own, o.Own) && r.Protocol == o.Protocol &&
		slices.Equal(r.Ports, o.Ports) && r.Openings == o.Openings && r.Deny == o.Deny
}

// Key is the rule's key.
func (r *Rule) Key() Key { return Key{KindRule, r.ID} }

// Tier is where the rule's flows belong.
func (r *Rule) Tier() Tier { return Tier{r.Group, r.Direction, r.Priority} }

// hash is a number that equal rules share, on all hosts and after a restart.
func (r *Rule) hash() uint64 {
	h := sha256.Sum256(fmt.Appendf(nil, "%+v", *r))
	return binary.BigEndian.Uint64(h[:])
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

// compare orders tiers by group, direction, priority.
func (t Tier) compare(o Tier) int {
	switch {
	case t.Group != o.Group && t.Group < o.Group:
		return -1
	case t.Group != o.Group:
		return 1
	case t.Direction != o.Direction:
		return int(t.Direction) - int(o.Direction)
	}
	return int(t.Priority) - int(o.Priority)
}

// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// LastClass is the greatest number of a class. A class is all endpoints that no ClassPolicy of the State distinguishes; 0 is the class of
// endpoints that no policy selects. Numbers are local to a host.
const LastClass = 1<<30 - 1

// Stage is a set of ClassPolicies that are evaluated together, one set after the other: those of StageAdmin in the order of their
// priorities, all of StageNamespace at once, those of StageBaseline like those of StageAdmin.
type Stage uint8

// The stages, in the order of evaluation.
const (
	StageAdmin Stage = iota + 1
	StageNamespace
	StageBaseline
)

// String is the stage in a word.
func (s Stage) String() string {
	switch s {
	case StageAdmin:
		return "admin"
	case StageNamespace:
		return "namespace"
	}
	return "baseline"
}

// ClassAction is the action of a ClassRule for the packets that it matches.
type ClassAction uint8

// The actions. Pass leaves the decision to the next stage; after the last one, or if no rule matches, a packet passes.
const (
	Accept ClassAction = iota + 1
	Deny
	Pass
)

// ClassPolicy judges the packets that open connections to or from endpoints of some classes, in addition to the Rules of their groups: a
// packet passes if both allow it. An endpoint that is Isolated in a direction receives, or sends, only packets that a policy of StageAdmin
// accepts or, if no such policy decides, one of StageNamespace. Established connections are treated as with Rules, by the Judgement of
// their tenant.
//
// A ClassPolicy in a State is never modified, only replaced.
type ClassPolicy struct {
	Name      string    // the text of an identity
	Direction Direction // In or Out
	Stage     Stage
	Priority  uint16 // 0..LastPriority, the lowest first; of StageNamespace 0. Of equal ones the first by name goes first
	Rules     []ClassRule
}

// LastPriority is the greatest priority of a ClassPolicy, and MaxRules the maximum number of places of its rules. If policies of one stage
// have the same priority, MaxSlots is the maximum number of places of those with common subjects; they use SpareSlots of their stage for
// more. Rules without a place deny everything of their subjects.
const (
	LastPriority = 1000
	MaxRules     = 25
	MaxSlots     = 2 * MaxRules
)

// SpareSlots is the number of places beyond MaxSlots that the policies of a stage share, for each direction.
func SpareSlots(s Stage) int {
	switch s {
	case StageAdmin:
		return 8800
	case StageBaseline:
		return 340
	}
	return 0 // the rules of a priority have one place
}

// ClassRule matches packets between endpoints of its Subjects and others.
type ClassRule struct {
	Place    uint8 // among the policy's, 1..MaxRules; rules that are equal but for their classes share one. All of StageNamespace are equal
	Action   ClassAction
	Subjects []uint32 // classes, in order, each once
	// Peers are classes, in order, each once, and Prefixes addresses, one of which must include the other side, unless Anyone is set.
	Anyone   bool
	Peers    []uint32
	Prefixes []netip.Prefix
	Ports    []ProtocolPorts // of the side that is connected to; empty: any, and any protocol
}

// ProtocolPorts are ports of TCP, UDP or SCTP. 0 to 65535 is all of them.
type ProtocolPorts struct {
	Protocol uint8
	PortRange
}

// AllPorts are all ports of a protocol.
func AllPorts(protocol uint8) ProtocolPorts { return ProtocolPorts{protocol, PortRange{0, 1<<16 - 1}} }

// Equal reports whether two policies are equal.
func (p *ClassPolicy) Equal(o *ClassPolicy) bool {
	return p.Name == o.Name && p.Direction == o.Direction && p.Stage == o.Stage && p.Priority == o.Priority &&
		slices.EqualFunc(p.Rules, o.Rules, func(a, b ClassRule) bool { return a.equal(&b) })
}

func (r *ClassRule) equal(o *ClassRule) bool {
	return r.Place == o.Place && r.Action == o.Action && r.Anyone == o.Anyone && slices.Equal(r.Subjects, o.Subjects) &&
		slices.Equal(r.Peers, o.Peers) && slices.Equal(r.Prefixes, o.Prefixes) && slices.Equal(r.Ports, o.Ports)
}

// Key is the key by which cookies name the policy.
func (p *ClassPolicy) Key() Key { return Key{KindClassPolicy, p.Name} }

// ID is the policy's key in State.ClassPolicies: its name and direction.
func (p *ClassPolicy) ID() string { return p.Name + "/" + p.Direction.String() }

// Judgement is the sum of the ClassPolicies for the endpoints of a tenant on this host: the tenant's connections are tracked, and evaluated
// again when Sum changes.
type Judgement struct {
	Tenant string // a key of State.Tenants
	Sum    uint64 // a hash of the policies and of changed labels; the same after a restart
}

// Level is ClassPolicies that share flows, and so are compiled together: those of one direction, stage and priority. Those of
// StageNamespace, whose order does not matter, are spread over Levels numbers by their names.
type Level struct {
	Direction Direction
	Stage     Stage
	Number    uint16
}

// Levels is the number of levels over which the policies of StageNamespace are spread.
const Levels = 7000

// Level returns the level of the policy's flows.
func (p *ClassPolicy) Level() Level {
	l := Level{p.Direction, p.Stage, p.Priority}
	if p.Stage == StageNamespace {
		l.Number = uint16(hash(p.Name) % Levels)
	}
	return l
}

// Key is the level's key, such as level/in/admin/10.
func (l Level) Key() Key {
	return Key{KindLevel, l.Direction.String() + "/" + l.Stage.String() + "/" + strconv.Itoa(int(l.Number))}
}

// LevelOf returns the level with a key; ok is false if there is none.
func LevelOf(k Key) (l Level, ok bool) {
	rest, number := cutLast(k.Name)
	direction, stage, _ := strings.Cut(rest, "/")
	n, err := strconv.ParseUint(number, 10, 16)
	l = Level{Out, StageAdmin, uint16(n)}
	if direction == In.String() {
		l.Direction = In
	}
	for l.Stage < StageBaseline && l.Stage.String() != stage {
		l.Stage++
	}
	return l, err == nil && l.Key() == k
}

func (l Level) compare(o Level) int {
	return cmp.Or(cmp.Compare(l.Direction, o.Direction), cmp.Compare(l.Stage, o.Stage), cmp.Compare(l.Number, o.Number))
}

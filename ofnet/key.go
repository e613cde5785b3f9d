// SPDX-License-Identifier: Apache-2.0

package ofnet

// Kind is the kind of object that caused a flow.
type Kind string

// The kinds of owners. KindSwitch owns the flows of every switch that do not depend on its State: misses, trackers. Rules own no flows:
// those of one group, direction and priority share some, and so KindPolicy owns them, the Tier. Backends own none either: they are named in
// the cookies of their service's flows. ClassPolicies are to a KindLevel what rules are to a KindPolicy. KindReceivers owns a segment's
// lists of broadcast receivers, by the segment's name: they change with its endpoints, and the segment's other flows do not.
const (
	KindSwitch      Kind = "switch"
	KindUplink      Kind = "uplink" // of this host, if it has several members
	KindProbes      Kind = "probes" // the flows that return the probes of other hosts, by the label of this one
	KindHost        Kind = "host"
	KindTenant      Kind = "tenant"
	KindSegment     Kind = "network"
	KindReceivers   Kind = "receivers"
	KindGroup       Kind = "group"
	KindPolicy      Kind = "policy"
	KindRule        Kind = "rule"
	KindLevel       Kind = "level"
	KindClassPolicy Kind = "classpolicy"
	KindService     Kind = "service"
	KindBackend     Kind = "backend"
	KindEndpoint    Kind = "endpoint"
	KindRouter      Kind = "router" // the State's Router, by the label of the host
	KindRoute       Kind = "route"
	KindNextHops    Kind = "nexthops"
	KindAgent       Kind = "agent" // a part of the agent that holds flows by a lease
)

// Key names one owner of flows: the object that caused them. Name is the object's identity in the store:
// "tenant:network" of a segment, "tenant:network:endpoint" of an endpoint, "tenant:group" of a group, "tenant:service" of a service, the
// label of a host; of a rule the identity.AttachedRule.
type Key struct {
	Kind Kind
	Name string
}

// Key is the segment's key.
func (n *Segment) Key() Key { return Key{KindSegment, n.Name} }

// ReceiversKey is the key of the segment's lists of receivers.
func (n *Segment) ReceiversKey() Key { return Key{KindReceivers, n.Name} }

// Key is the group's key.
func (g *Group) Key() Key { return Key{KindGroup, g.Name} }

// Key is the tenant's key.
func (t *Tenant) Key() Key { return Key{KindTenant, t.Name} }

// Key is the host's key.
func (h *Host) Key() Key { return Key{KindHost, h.Label} }

// String prints the key as kind/name, the form that operators read and type.
func (k Key) String() string { return string(k.Kind) + "/" + k.Name }

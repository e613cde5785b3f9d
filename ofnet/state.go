// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// State is the complete desired state of one host: everything its switch needs to know, and nothing else. It belongs to one goroutine at a
// time; a Clone is another State. Rows of its tables are never modified, only replaced.
type State struct {
	Self    string    // label of this host; a key of Hosts
	Local   Ports     // the switch's own fixed ports
	Missing Abilities // abilities that the switch's datapath does not have
	// Own are the addresses of this host itself, as its endpoints see them: ClassPolicies never apply between a host and its own endpoints.
	Own      []netip.Addr
	Private  netip.Prefix                   // IPv4 subnet between this host and its endpoints, a /16; invalid: they do not communicate
	Direct   bool                           // hosts and endpoints also communicate by their own addresses, which are then unique
	Closed   *Closed                        // nil: nothing is closed to endpoints
	Router   *Router                        // nil: this host has no routers outside
	Hosts    *table.Table[string, *Host]    // by label, this host included
	Tenants  *table.Table[string, *Tenant]  // by name
	Segments *table.Table[string, *Segment] // by "tenant:network"
	Groups   *table.Table[string, *Group]   // by "tenant:group"
	Rules    *table.Table[identity.Rule, *Rule]
	// Attachments record which groups have which policies. A policy's rules judge nothing without one.
	Attachments *table.Table[identity.Attachment, *Attachment]
	// ClassPolicies judge in addition to the rules of groups, by classes of endpoints with equal labels; by ID, see SetClassPolicy.
	ClassPolicies *table.Table[string, *ClassPolicy]
	Judgements    *table.Table[string, *Judgement] // by tenant
	Services      *table.Table[string, *Service]   // by "tenant:service"; see SetService
	Endpoints     *table.Table[string, *Endpoint]  // by "tenant:network:endpoint"
	Routes        *table.Table[string, *Route]     // learned, by prefix
	NextHops      *table.Table[string, *NextHops]  // of the routes, by name
}

// DefaultPrivate is the subnet between a host and its endpoints unless an operator chooses another.
func DefaultPrivate() netip.Prefix { return netip.PrefixFrom(netip.AddrFrom4([4]byte{172, 19}), 16) }

// NewState returns an empty State for the host labelled self.
func NewState(self string) *State {
	return &State{
		Self:          self,
		Private:       DefaultPrivate(),
		Hosts:         table.New[string, *Host](),
		Tenants:       table.New[string, *Tenant](),
		Segments:      table.New(segmentsOfTenant),
		Groups:        table.New[string, *Group](),
		Rules:         table.New(rulesOfPolicy, rulesOfStep, rulesNaming, judgedIn, rulesSum),
		Attachments:   table.New(attachmentsOfGroup, attachmentsOfPolicy, attachmentsSum),
		ClassPolicies: table.New(policiesOfLevel),
		Judgements:    table.New[string, *Judgement](),
		Services:      table.New(servicesOfTenant, servicesAt, servicesBehind, servicesAtHost, servicesByNumber),
		Endpoints:     table.New(endpointsOfSegment, endpointsOfGroup, endpointsOfHost, endpointsAt, places, groupsHere, receivers),
		Routes:        table.New(routesVia),
		NextHops:      table.New[string, *NextHops](),
	}
}

// Clone returns an equal State, to be read or changed while s changes. It takes constant time.
func (s *State) Clone() *State {
	c := *s
	c.Hosts, c.Tenants, c.Segments, c.Groups = s.Hosts.Clone(), s.Tenants.Clone(), s.Segments.Clone(), s.Groups.Clone()
	c.Rules, c.Attachments = s.Rules.Clone(), s.Attachments.Clone()
	c.ClassPolicies, c.Judgements = s.ClassPolicies.Clone(), s.Judgements.Clone()
	c.Services, c.Endpoints = s.Services.Clone(), s.Endpoints.Clone()
	c.Routes, c.NextHops = s.Routes.Clone(), s.NextHops.Clone()
	return &c
}

// Ports are the OpenFlow port numbers of a switch's fixed ports; 0 means that the switch has no such port.
type Ports struct {
	Tunnel uint32 // the one flow-based VXLAN port
	Uplink uint32 // the VLAN trunk: its first member
	Host   uint32 // the internal port contivh0
	// Backup are further members of the trunk, in the order in which they take over if those before have no link.
	Backup []uint32
	Active uint32 // the member whose broadcast frames count; 0: Uplink
	// Channel are the members that the physical switch aggregates (link aggregation): connections are spread over them, and a broadcast
	// frame arrives by any of them, once. Empty: they are separate, and only Active counts.
	Channel []uint32
}

// MAC is an Ethernet address as a comparable value.
type MAC [6]byte

// Uplinks lists the members of the VLAN trunk in the order in which they take over.
func (p *Ports) Uplinks() []uint32 {
	if p.Uplink == 0 {
		return nil
	}
	return append([]uint32{p.Uplink}, p.Backup...)
}

// Receives reports whether broadcast frames that arrive at a member of the VLAN trunk count.
func (p *Ports) Receives(member uint32) bool {
	if len(p.Channel) > 0 {
		return slices.Contains(p.Channel, member)
	}
	return member == p.ActiveUplink()
}

// Equal reports whether two are equal.
func (p *Ports) Equal(o *Ports) bool {
	return p.Tunnel == o.Tunnel && p.Uplink == o.Uplink && p.Host == o.Host && p.Active == o.Active &&
		slices.Equal(p.Backup, o.Backup) && slices.Equal(p.Channel, o.Channel)
}

// ActiveUplink returns the member of the VLAN trunk whose broadcast frames count, 0 if there is no trunk.
func (p *Ports) ActiveUplink() uint32 { return cmp.Or(p.Active, p.Uplink) }

// Host is a machine that carries endpoints.
type Host struct {
	Label     string
	VTEP      netip.Addr // tunnel address; invalid if the host has no VXLAN
	UplinkMAC MAC        // source of routed frames on the uplink
	// Node4 and Node6 are the machine's own addresses, by which endpoints reach it; invalid: unknown, or none.
	Node4, Node6 netip.Addr
}

// Addrs returns the machine's addresses by which endpoints reach it, each once: its own, and that of its tunnels.
func (h *Host) Addrs() (out []netip.Addr) {
	for _, a := range []netip.Addr{h.Node4, h.Node6, h.VTEP} {
		if a = a.Unmap(); a.IsValid() && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// Tenant is an address space of its own. ID is the cluster-wide VRF number, 1..32767, also the conntrack zone.
type Tenant struct {
	Name string
	ID   uint16
}

// LastVNI is the highest VXLAN network identifier of a segment; those above are the pipeline's own, one per tenant.
const LastVNI = 0xff7fff

// Encap is how a segment crosses the underlay.
type Encap uint8

// The encapsulations.
const (
	VLAN Encap = iota + 1
	VXLAN
)

// Mode is how frames of a segment are forwarded.
type Mode uint8

// The forwarding modes.
const (
	Bridge Mode = iota + 1
	Routing
)

// ARPMode selects who answers address resolution.
type ARPMode uint8

// The ARP modes: the switch answers by flows, or requests are flooded to the segment.
const (
	Proxy ARPMode = iota + 1
	Flood
)

// Segment is a network as the switch sees it.
type Segment struct {
	Name    string // "tenant:network"
	Tenant  string // a key of State.Tenants
	ID      uint32 // cluster-wide number of the segment, never 0; the value of the network register
	Encap   Encap
	Tag     uint32 // VLAN id or VNI
	Mode    Mode
	ARP     ARPMode
	Prefix4 netip.Prefix // masked
	// First4 and Last4 are the ends of the part of Prefix4 that is the network; invalid: all of it.
	First4, Last4 netip.Addr
	Gateway4      netip.Addr   // invalid when there is none
	Prefix6       netip.Prefix // invalid when the segment has no IPv6
	Gateway6      netip.Addr
}

// Group is an endpoint group. ID is cluster-wide, never 0.
type Group struct {
	Name    string // "tenant:group"
	Tenant  string
	ID      uint32
	Profile Profile
}

// Limits are rates of one endpoint, as those of a Profile.
type Limits struct {
	Rate, Burst, ReceiveRate, ReceiveBurst uint32
}

// Profile limits what each member of a group sends and receives, and marks what it sends. The zero Profile does neither.
type Profile struct {
	Rate  uint32 // kbit/s that a member sends; 0: no limit
	Burst uint32 // kbit that may pass at once above Rate; 0: derived from Rate
	// ReceiveRate and ReceiveBurst are the same for traffic that a member receives.
	ReceiveRate, ReceiveBurst uint32

	DSCP uint8 // differentiated services code point, 1..63 (RFC 2474); 0: unchanged
}

// Endpoint is one interface of a container.
type Endpoint struct {
	ID      string // "tenant:network:endpoint"
	Segment string // a key of State.Segments
	Group   string // a key of State.Groups, or ""
	Host    string // a key of State.Hosts
	Port    uint32 // OpenFlow port on this switch; 0 if the endpoint is on another host
	MAC     MAC
	IP4     netip.Addr
	IP6     netip.Addr // invalid when the segment has no IPv6
	// Class is the endpoint's class for ClassPolicies, up to LastClass; 0: none of them selects it.
	Class    uint32
	Isolated Direction // directions in which only packets pass that ClassPolicies admit; 0 if the endpoint is on another host
	// Limits are the endpoint's own rates, in addition to those of its group's Profile: the lower one of each direction applies.
	Limits Limits
}

package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// The tables. Numbers are even so that one can be put between; a packet only ever goes up.
const (
	tClassify  flow.TableID = 0  // who is this port
	tOverlay   flow.TableID = 2  // VNI to network and tenant
	tSource    flow.TableID = 4  // may a local endpoint say this
	tHostIn    flow.TableID = 6  // private address to endpoint
	tNeighbor  flow.TableID = 8  // ARP and ND: answer, pass, flood, drop
	tAnswer    flow.TableID = 9  // make the request into the reply
	tBack      flow.TableID = 10 // send it where it came from
	tQoS       flow.TableID = 12 // meter and DSCP
	tLocal     flow.TableID = 14 // addresses that the switch owns
	tUnhairpin flow.TableID = 16 // replies of a hairpinned connection
	tTrack     flow.TableID = 18 // to the connection tracker
	tState     flow.TableID = 20 // what the tracker says
	tService   flow.TableID = 22 // service address to a backend
	tBackend   flow.TableID = 23 // slot to backend
	tHairpin   flow.TableID = 24 // client and backend are one endpoint
	tPeer      flow.TableID = 26 // source address to group
	tGate      flow.TableID = 28 // is the frame addressed to the router
	tRoute     flow.TableID = 30 // tenant and destination address
	tBridge    flow.TableID = 32 // network and destination MAC
	tNowhere   flow.TableID = 34 // nobody has the address
	tPolicyOut flow.TableID = 40 // rules of the sender's group
	tVerdict   flow.TableID = 41 // what the rules said of an answer
	tReplicate flow.TableID = 42 // a copy for each receiver
	tPolicyIn  flow.TableID = 44 // rules of the receiver's group
	tCommit    flow.TableID = 46 // remember the connection
	tRefuse    flow.TableID = 48 // remember that it is refused
	tDeliver   flow.TableID = 50 // out
	tUplink    flow.TableID = 52 // out with a tag
	tHostOut   flow.TableID = 54 // out to the host
)

// Bits of reg0: the class of the ingress, one bit each, then flags.
const (
	bitEndpoint = 0
	bitTunnel   = 1
	bitUplink   = 2
	bitHost     = 3
	bitFabric   = 4  // tunnel or uplink: the packet never leaves by tunnel or uplink again
	bitRelayed  = 5  // came in by the uplink of another host, which has handed it on
	bitRouted   = 8  // addressed to the router
	bitSkip     = 9  // judged already
	bitBUM      = 10 // to be replicated
	bitLocal    = 11 // the destination is here
	bitNoCommit = 12 // do not remember the connection
	bitHairpin  = 13 // may leave by its in_port
	bitReply    = 14 // answer to an ICMP message: only rules about ICMP judge it
	bitOpening  = 15 // opens a connection, or belongs to one that was seen to open
	bitSeen     = 16 // the agent has seen it and lets it go its way
	bitAnswer   = 17 // answers within a connection that is not TCP: the rules are asked when they have changed
	bitTurned   = 18 // stands for what the connection's opener would send
	bitAdmitted = 19 // the rules would let that pass
	bitBehind   = 20 // answers for a service: which backend is in registers
)

// The registers.
const (
	regFlags    = flow.Reg0
	regNetwork  = flow.Reg0 + 1 // of the source; after route, of the destination
	regTenant   = flow.Reg0 + 2 // tenant in bits 0-15, hairpin zone in 16-31
	regSrcGroup = flow.Reg0 + 3
	regDstGroup = flow.Reg0 + 4
	regOut      = flow.Reg0 + 5 // output port
	regRuleOut  = flow.Reg0 + 6 // rule that admitted at the sender
	regRuleIn   = flow.Reg0 + 7 // rule that admitted at the receiver; scratch before
	regScratch  = flow.Reg0 + 7
	regService  = flow.Reg0 + 8  // number of a port of a service, from service to backend
	regSlot     = flow.Reg0 + 9  // which of its backends; bit 16: of those that are here; bit 17: from the uplink
	regPort     = flow.Reg0 + 10 // port of the backend, from state to policy_out; its address is in regBackend
	regBackend  = flow.Reg0 + 12 // address of the backend; of IPv6 regBackend6
	regBackend6 = flow.XXReg0 + 3
	regAnswer   = flow.XReg0 + 4  // MAC to answer with; shares registers 8 and 9
	regScratch6 = flow.XXReg0 + 3 // for swaps of IPv6 addresses
)

const (
	hairpinZone = 0x8000     // top bit of the second conntrack zone
	markBlocked = 0x80000000 // ct_mark bit 31: refused after it was established, by the rules of the generation below
	labelMet    = 64         // ct_label bit: the connection was open when the switch met it
	exact       = 100        // priority of lookups with one flow an object
)

// Group ids carry their kind in the top byte and below it the number of the segment, or of the port of a service.
const (
	floodElsewhere = 0x01 << 24
	floodHere      = 0x02 << 24
	spread         = 0x03 << 24
	// 0x04 is uplinkGroup, 0x05 nextHopGroup.
	// floodPart is the first kind of the parts of a long list of receivers here, floodPartElsewhere of one of hosts; part n has
	// the kind floodPart + n<<24, so that all 24 bits below stay the segment's.
	floodPart          = 0x40 << 24
	floodPartElsewhere = floodPart + floodParts<<24
	// floodFew is how many buckets a group of them has before it is divided, and floodParts into how many parts it is divided at
	// the most.
	floodFew   = 64
	floodParts = 90
	// spreadMost is how many buckets a group of a service has at most: a group_mod holds 64 kB.
	spreadMost = 1000
	idMask     = 1<<24 - 1
)

// RouterMAC is the Ethernet address of the distributed router, the same on every host. It never appears as a source
// on the wire: there, physical switches would see it jump.
var RouterMAC = ofnet.MAC{0x00, 0x00, 0x11, 0x11, 0x11, 0x11}

// Bits of ct_label that say behind which port of a service a connection is, by its number, and at which backend: an IPv4
// address, or a hash of an IPv6 address.
func labelService() flow.Bits { return flow.Range(flow.CTLabel, 72, 95) }
func labelBackend() flow.Bits { return flow.Range(flow.CTLabel, 96, 127) }

func on(bit int) flow.Action  { return flow.Load(flow.Bit(regFlags, bit), 1) }
func off(bit int) flow.Action { return flow.Load(flow.Bit(regFlags, bit), 0) }

func load(f flow.Field, v uint32) flow.Action { return flow.Load(flow.All(f), uint64(v)) }

func has(bit int) flow.Term    { return flow.EqMask(regFlags, 1<<bit, 1<<bit) }
func hasNot(bit int) flow.Term { return flow.EqMask(regFlags, 0, 1<<bit) }

func inNetwork(n *ofnet.Segment) flow.Term { return flow.Eq(regNetwork, uint64(n.ID)) }
func inTenant(t *ofnet.Tenant) flow.Term   { return flow.EqMask(regTenant, uint64(t.ID), 0xffff) }

// zone is the conntrack zone of the packet's tenant.
func zone() flow.Bits { return flow.Range(regTenant, 0, 15) }

// enter says who the packet is from: class, network, tenant.
func enter(class int, n *ofnet.Segment, t *ofnet.Tenant) []flow.Action {
	steps := append(make([]flow.Action, 0, 8), on(class))
	if class == bitTunnel || class == bitUplink {
		steps = append(steps, on(bitFabric))
	}
	return enterTenant(append(steps, load(regNetwork, n.ID)), t)
}

// enterTenant appends whose the packet is.
func enterTenant(steps []flow.Action, t *ofnet.Tenant) []flow.Action {
	return append(steps,
		flow.Load(zone(), uint64(t.ID)),
		flow.Load(flow.Range(regTenant, 16, 31), uint64(t.ID)|hairpinZone))
}

// pushTag puts the network's tag on.
func pushTag(n *ofnet.Segment) []flow.Action {
	return []flow.Action{flow.PushVLAN(), flow.SetField(flow.VlanVID, 0x1000|uint64(n.Tag&0xfff))}
}

// multicast matches frames to a group address.
func multicast(f flow.Field) flow.Term { return flow.EqMACMask(f, ofnet.MAC{1}, ofnet.MAC{1}) }

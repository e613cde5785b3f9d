// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// The tables. Numbers are even, which leaves room between them; a packet only goes to higher ones. The features that declare them describe
// them.
const (
	tClassify     flow.TableID = 0
	tOverlay      flow.TableID = 2
	tSender       flow.TableID = 3
	tSource       flow.TableID = 4
	tOrigin       flow.TableID = 5
	tHostIn       flow.TableID = 6
	tSpoofed      flow.TableID = 7
	tNeighbor     flow.TableID = 8
	tAnswer       flow.TableID = 9
	tBack         flow.TableID = 10
	tAnnouncement flow.TableID = 11
	tQoS          flow.TableID = 12
	tLocal        flow.TableID = 14
	tUnhairpin    flow.TableID = 16
	tTrack        flow.TableID = 18
	tState        flow.TableID = 20
	tAffinity     flow.TableID = 21
	tService      flow.TableID = 22
	tBackend      flow.TableID = 23
	tHairpin      flow.TableID = 24
	tUnserved     flow.TableID = 25
	tPeer         flow.TableID = 26
	tGate         flow.TableID = 28
	tRoute        flow.TableID = 30
	tClosed       flow.TableID = 31
	tBridge       flow.TableID = 32
	tNowhere      flow.TableID = 34
	tShut         flow.TableID = 35
	tPolicyOut    flow.TableID = 36
	tVerdict      flow.TableID = 37
	tAdminOut     flow.TableID = 38
	tNetpolOut    flow.TableID = 39
	tReplicate    flow.TableID = 40
	tPolicyIn     flow.TableID = 42
	tAdminIn      flow.TableID = 43
	tNetpolIn     flow.TableID = 44
	tCommit       flow.TableID = 46
	tRefuse       flow.TableID = 48
	tDeliver      flow.TableID = 50
	tUplink       flow.TableID = 52
	tHostOut      flow.TableID = 54
	tOutput       flow.TableID = 56
)

const (
	hairpinZone = 0x8000     // top bit of the second conntrack zone
	markBlocked = 0x80000000 // ct_mark bit 31: refused after establishment, by the rules of the generation in the bits below
	labelMet    = 64         // ct_label bit: the connection was open when the switch first saw it
	exact       = 100        // priority of lookups with one flow per object
)

// Group ids have their kind in the top byte and below it the number of the segment, or of the port of a service.
const (
	floodElsewhere = 0x01 << 24
	floodHere      = 0x02 << 24
	spread         = 0x03 << 24
	// 0x04 is uplinkGroup, 0x05 nextHopGroup.
	spreadHere = 0x06 << 24
	// floodPart is the first kind of the parts of a long list of local receivers, floodPartElsewhere of one of hosts; part n has the kind
	// floodPart + n<<24, so that all 24 bits below stay the segment's.
	floodPart          = 0x40 << 24
	floodPartElsewhere = floodPart + floodParts<<24
	// floodFew is the number of buckets above which such a group is divided, and floodParts the maximum number of parts.
	floodFew   = 64
	floodParts = 90
	// maxSpread is the maximum number of buckets of a service's group: a group_mod holds 64 kB.
	maxSpread = 1000
	idMask    = 1<<24 - 1
)

// RouterMAC is the Ethernet address of the distributed router, the same on every host. It is never a source address on the wire, since
// physical switches would see it move.
var RouterMAC = ofnet.MAC{0x00, 0x00, 0x11, 0x11, 0x11, 0x11}

// Bits of ct_label for the port of a service that a connection uses, by its number, and for its backend: an IPv4 address, or a hash of an
// IPv6 address.
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

// enter writes the sender of the packet: class, network, tenant.
func enter(class int, n *ofnet.Segment, t *ofnet.Tenant) []flow.Action {
	steps := append(make([]flow.Action, 0, 8), on(class))
	if class == bitTunnel || class == bitUplink {
		steps = append(steps, on(bitFabric))
	}
	return enterTenant(append(steps, load(regNetwork, n.ID)), t)
}

// enterTenant appends the actions that write the packet's tenant.
func enterTenant(steps []flow.Action, t *ofnet.Tenant) []flow.Action {
	return append(steps,
		flow.Load(zone(), uint64(t.ID)),
		flow.Load(flow.Range(regTenant, 16, 31), uint64(t.ID)|hairpinZone))
}

// pushTag adds the network's tag.
func pushTag(n *ofnet.Segment) []flow.Action {
	return []flow.Action{flow.PushVLAN(), flow.SetField(flow.VlanVID, 0x1000|uint64(n.Tag&0xfff))}
}

// multicast matches frames to a group address.
func multicast(f flow.Field) flow.Term { return flow.EqMACMask(f, ofnet.MAC{1}, ofnet.MAC{1}) }

// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// nextHopGroup is the kind of the groups that share connections among next hops; the number is that of the NextHops.
const nextHopGroup = 0x05 << 24

// hopSlots is the number of buckets of such a group, whatever the number of next hops. Open vSwitch maps as many values of a hash to them,
// one to each (ovs-ofctl(8), selection_method=dp_hash, which is the default). The hash covers addresses, protocol and, for TCP and SCTP,
// ports: UDP between two addresses keeps one next hop.
const hopSlots = 64

// nextHops returns the group of several next hops. A single one needs none.
func nextHops(out *flow.Set, n *ofnet.NextHops) {
	hops := n.Resolved()
	if len(hops) < 2 {
		return
	}
	buckets := make([]flow.Bucket, hopSlots)
	for slot := range buckets {
		h := preferred(hops, slot)
		buckets[slot] = flow.Bucket{Weight: 1, Actions: flow.Do(flow.SetMAC(flow.EthDst, h.MAC), flow.Resubmit(tClosed))}
	}
	out.AddGroup(flow.Group{ID: nextHopGroup | n.ID, Type: flow.GroupSelect, Buckets: flow.NewBuckets(buckets...)})
}

// preferred returns the next hop of a slot: the one with the highest hash of slot and address (highest random weight, RFC 2991, section 3).
// If another one is lost, the slot and its connections keep their own.
func preferred(hops []ofnet.NextHop, slot int) (best ofnet.NextHop) {
	var most uint64
	for _, h := range hops {
		sum := sha256.Sum256(append([]byte{byte(slot)}, h.Addr.AsSlice()...))
		if w := binary.BigEndian.Uint64(sum[:]); w >= most {
			most, best = w, h
		}
	}
	return best
}

// externalRoute directs packets to the next hops that are resolved.
func externalRoute(out *flow.Set, s *ofnet.State, r *ofnet.Route) {
	t, n := s.Tenants.Get(s.Router.Tenant), s.NextHops.Get(r.Via)
	if t == nil || n == nil {
		return
	}
	to, family := flow.IPDst, flow.IP()
	if r.Prefix.Addr().Is6() {
		to, family = flow.IPv6Dst, flow.IPv6()
	}
	steps := []flow.Action{flow.DecTTL(), flow.SetMAC(flow.EthSrc, s.Router.MAC), load(regNetwork, outside), load(regDstGroup, 0),
		load(regOut, s.Local.Uplink)}
	var do flow.Actions
	switch hops := n.Resolved(); len(hops) {
	case 0:
		return
	case 1:
		do = flow.Do(append(steps, flow.SetMAC(flow.EthDst, hops[0].MAC), flow.GotoTable(tClosed))...)
	default:
		do = flow.Do(append(steps, flow.ToGroup(nextHopGroup|n.ID))...)
	}
	out.Add(flow.New(tRoute, routePriority(r.Prefix.Bits(), rankLearned),
		flow.NewMatch(family, flow.EqPrefix(to, r.Prefix), inTenant(t), hasNot(bitFabric)), do))
}

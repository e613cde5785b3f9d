// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"cmp"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// copies are the steps that copy a local endpoint's frame to everyone in the segment: local receivers, and the fabric, which on a tunnel is
// a list of hosts. That list belongs to the segment; its local receivers belong to KindReceivers.
func copies(out *flow.Set, s *ofnet.State, n *ofnet.Segment, name string) []flow.Action {
	id := n.ID & idMask
	steps := []flow.Action{off(bitBUM), flow.ToGroup(floodHere | id)}
	if n.Encap == ofnet.VLAN {
		if s.Local.Uplink != 0 {
			steps = append(steps, flow.Resubmit(tUplink))
		}
		return steps
	}
	hosts := hostsWith(s, name)
	if s.Local.Tunnel == 0 || len(hosts) == 0 {
		return steps
	}
	out.AddGroup(flow.Group{ID: floodElsewhere | id, Buckets: chain(out, floodPartElsewhere|id, len(hosts), func(from, to int) flow.Buckets {
		var l flow.BucketList
		for _, h := range hosts[from:to] {
			l.Add(flow.Bucket{Actions: flow.Do(append(tunnelTo(nil, n, h.VTEP), flow.Output(s.Local.Tunnel))...)})
		}
		return l.Done()
	})})
	return append(steps, flow.ToGroup(floodElsewhere|id))
}

// chain divides n buckets into parts if they are too many for one group, and returns those that lead to the parts. Parts are short, so that
// adding an endpoint is one short message to the switch. first is the id of the first part. piece returns the buckets from one number up to
// another, which is not included.
func chain(out *flow.Set, first uint32, n int, piece func(from, to int) flow.Buckets) flow.Buckets {
	if n <= floodFew {
		return piece(0, n)
	}
	var short flow.BucketList
	size := max(floodFew, n/floodParts+1)
	for at := 0; at < n; at += size {
		part := flow.Group{ID: first + uint32(at/size)<<24, Buckets: piece(at, min(at+size, n))}
		out.AddGroup(part)
		short.Add(flow.Bucket{Actions: flow.Do(flow.ToGroup(part.ID))})
	}
	return short.Done()
}

// hostsWith returns the labels of the other hosts that have endpoints of the segment and can be reached by the tunnel.
func hostsWith(s *ofnet.State, segment string) (list []*ofnet.Host) {
	for h := range s.Hosts.Values() {
		if h.Label != s.Self && h.VTEP.IsValid() && s.Present(ofnet.Place{Segment: segment, Host: h.Label}) > 0 {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b *ofnet.Host) int { return cmp.Compare(a.Label, b.Label) })
	return list
}

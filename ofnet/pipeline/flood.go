package pipeline

import (
	"cmp"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// floodGroups makes the segment's lists of receivers: one for frames of local endpoints, one for those of the fabric.
func floodGroups(out *flow.Set, s *ofnet.State, n *ofnet.Segment, name string) {
	id, parts := n.ID&idMask, uint32(0)
	here := receiversHere(s, name)
	near := chain(out, id, &parts, here.len(), here.buckets)
	var far flow.Buckets
	switch {
	case n.Encap == ofnet.VLAN && s.Local.Uplink != 0:
		far = flow.NewBuckets(flow.Bucket{Actions: flow.Do(flow.Resubmit(tUplink))})
	case n.Encap == ofnet.VXLAN && s.Local.Tunnel != 0:
		hosts := hostsWith(s, name)
		far = chain(out, id, &parts, len(hosts), func(from, to int) flow.Buckets {
			var l flow.BucketList
			for _, h := range hosts[from:to] {
				l.Add(flow.Bucket{Actions: flow.Do(append(tunnelTo(nil, n, h.VTEP), flow.Output(s.Local.Tunnel))...)})
			}
			return l.Done()
		})
	}
	out.AddGroup(flow.Group{ID: floodFromEndpoint | id, Buckets: near.And(far)}, flow.Group{ID: floodFromFabric | id, Buckets: near})
}

// chain divides n buckets into parts if they are too many for one group, and returns those that lead to the parts. Parts are
// short, so that one endpoint more is one short message to the switch. piece returns the buckets from one number up to another,
// which is not included.
func chain(out *flow.Set, id uint32, parts *uint32, n int, piece func(from, to int) flow.Buckets) flow.Buckets {
	if n <= floodFew {
		return piece(0, n)
	}
	var short flow.BucketList
	size := max(floodFew, n/floodParts+1)
	for at := 0; at < n; at += size {
		part := flow.Group{ID: floodPart + *parts<<24 | id, Buckets: piece(at, min(at+size, n))}
		*parts++
		out.AddGroup(part)
		short.Add(flow.Bucket{Actions: flow.Do(flow.ToGroup(part.ID))})
	}
	return short.Done()
}

// hostsWith are the other hosts that have endpoints of the segment and can be reached through the tunnel, by their labels.
func hostsWith(s *ofnet.State, segment string) (list []*ofnet.Host) {
	for label := range s.Elsewhere(segment) {
		if h := s.Hosts[label]; h != nil && h.VTEP.IsValid() {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b *ofnet.Host) int { return cmp.Compare(a.Label, b.Label) })
	return list
}

// receivers are who gets a segment's broadcasts on this host, by how, and each of them in the order of their ports.
type receivers struct {
	plain   []flow.Port
	limited []flow.Port // what they receive has a limit
	judged  []listener
}

// listener is a receiver whose group has rules about what it receives: a copy for it is judged like any other packet.
type listener struct {
	port  flow.Port
	group uint32
}

func receiversHere(s *ofnet.State, segment string) *receivers {
	r := &receivers{plain: make([]flow.Port, 0, s.ReceiverCount(segment))}
	var group audience
	for port, its := range s.Receivers(segment) {
		if port == 0 {
			continue
		}
		if group.name != its || !group.known { // most have the one before's
			group = audienceOf(s, its)
		}
		switch {
		case group.judged:
			r.judged = append(r.judged, listener{port, group.id})
		case group.limited:
			r.limited = append(r.limited, port)
		default:
			r.plain = append(r.plain, port)
		}
	}
	slices.Sort(r.plain)
	slices.Sort(r.limited)
	r.plain, r.limited = slices.Compact(r.plain), slices.Compact(r.limited)
	slices.SortFunc(r.judged, func(a, b listener) int { return cmp.Compare(a.port, b.port) })
	return r
}

func (r *receivers) len() int { return len(r.plain) + len(r.limited) + len(r.judged) }

// buckets are those of the receivers from one number up to another, which is not included.
func (r *receivers) buckets(from, to int) flow.Buckets {
	var l flow.BucketList
	l.Output(cut(r.plain, &from, &to)...)
	for _, p := range cut(r.limited, &from, &to) {
		l.Add(flow.Bucket{Actions: flow.Do(load(regOut, p), flow.Resubmit(tDeliver))})
	}
	for _, j := range cut(r.judged, &from, &to) {
		l.Add(flow.Bucket{Actions: flow.Do(load(regOut, j.port), load(regDstGroup, j.group), on(bitLocal), on(bitNoCommit),
			flow.Resubmit(tPolicyIn))})
	}
	return l.Done()
}

// cut returns what list has of the numbers from..to, and makes them those of a list that comes after it.
func cut[T any](list []T, from, to *int) []T {
	n := len(list)
	piece := list[min(max(*from, 0), n):min(max(*to, 0), n)]
	*from, *to = *from-n, *to-n
	return piece
}

// audience is how the endpoints of a group get their copies.
type audience struct {
	known           bool
	name            string
	id              uint32
	judged, limited bool
}

func audienceOf(s *ofnet.State, name string) audience {
	a := audience{known: true, name: name}
	if g := s.Groups[name]; g != nil {
		a.id, a.judged, a.limited = g.ID, g.ID != 0 && s.JudgesIn(name) > 0, g.Profile.ReceiveRate != 0
	}
	return a
}

// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"cmp"
	"slices"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// floodGroups makes the list of the segment's local broadcast receivers. It is an owner of its own, KindReceivers: an additional endpoint
// changes it and nothing else of the segment.
func floodGroups(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if owner.Kind != ofnet.KindReceivers {
		return
	}
	if n, _, ok := segment(s, ofnet.Key{Kind: ofnet.KindSegment, Name: owner.Name}); ok {
		id, here := n.ID&idMask, receiversHere(s, owner.Name)
		out.AddGroup(flow.Group{ID: floodHere | id, Buckets: chain(out, floodPart|id, here.len(), here.buckets)})
	}
}

// readsReceivers is the input of the lists.
var readsReceivers = []*Input{
	rows(segmentRows, func(_ *ofnet.State, n *ofnet.Segment, to owners) { to(n.ReceiversKey()) }),
	rows(tenantRows, func(s *ofnet.State, t *ofnet.Tenant, to owners) {
		for n := range s.SegmentsOf(t.Name) {
			to(n.ReceiversKey())
		}
	}),
	rows(endpointRows, func(s *ofnet.State, e *ofnet.Endpoint, to owners) {
		if e.Host == s.Self {
			to(ofnet.Key{Kind: ofnet.KindReceivers, Name: e.Segment})
		}
	}),
	rows(groupRows, func(s *ofnet.State, g *ofnet.Group, to owners) { receiversOf(s, g.Name, to) }),
	facts(ruleRows, func(r *ofnet.Rule) identity.Policy { return r.ID.Policy }, (*ofnet.State).PolicyJudgesIn,
		func(s *ofnet.State, policy identity.Policy, to owners) {
			for a := range s.AttachmentsOf(policy) {
				receiversOf(s, a.Group(), to)
			}
		}),
	facts(attachmentRows, (*ofnet.Attachment).Group, (*ofnet.State).JudgesIn, receiversOf),
}

// receiversOf returns the lists that have members of a group.
func receiversOf(s *ofnet.State, group string, to owners) {
	for e := range s.MembersOf(group) {
		if e.Host == s.Self {
			to(ofnet.Key{Kind: ofnet.KindReceivers, Name: e.Segment})
		}
	}
}

// receivers are a segment's local broadcast receivers, by the form of delivery, and each of them in the order of their ports.
type receivers struct {
	plain   []flow.Port
	limited []flow.Port // with a limit for received traffic
	judged  []listener
}

// listener is a receiver whose group has rules about received packets, or that has a class: a copy for it is judged like any other packet.
type listener struct {
	port     flow.Port
	group    uint32
	class    uint32
	isolated ofnet.Direction
}

func receiversHere(s *ofnet.State, segment string) *receivers {
	r := &receivers{plain: make([]flow.Port, 0, s.Present(ofnet.Place{Segment: segment, Host: s.Self}))}
	var group audience
	for e := range s.Receivers(segment) {
		port := e.Port
		if group.name != e.Group || !group.known { // most have the group of the previous one
			group = audienceOf(s, e.Group)
		}
		switch {
		case group.judged || e.Class != 0 || e.Isolated != 0:
			r.judged = append(r.judged, listener{port, group.id, e.Class, e.Isolated})
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

// buckets returns those of the receivers from one number up to another, which is not included.
func (r *receivers) buckets(from, to int) flow.Buckets {
	var l flow.BucketList
	l.Resubmit(tOutput, regOut, cut(r.plain, &from, &to)...)
	l.Resubmit(tDeliver, regOut, cut(r.limited, &from, &to)...)
	for _, j := range cut(r.judged, &from, &to) {
		steps := loadClass([]flow.Action{load(regOut, j.port), load(regDstGroup, j.group)}, dstClass, j.class, j.isolated)
		l.Add(flow.Bucket{Actions: flow.Do(append(steps, on(bitLocal), on(bitNoCommit), flow.Resubmit(tPolicyIn))...)})
	}
	return l.Done()
}

// cut returns the part of list with the numbers from..to, and shifts them for the next list.
func cut[T any](list []T, from, to *int) []T {
	n := len(list)
	piece := list[min(max(*from, 0), n):min(max(*to, 0), n)]
	*from, *to = *from-n, *to-n
	return piece
}

// audience is the form of delivery of copies to the endpoints of a group.
type audience struct {
	known           bool
	name            string
	id              uint32
	judged, limited bool
}

func audienceOf(s *ofnet.State, name string) audience {
	a := audience{known: true, name: name}
	if g := s.Groups.Get(name); g != nil {
		a.id, a.judged, a.limited = g.ID, g.ID != 0 && s.JudgesIn(name), g.Profile.ReceiveRate != 0
	}
	return a
}

// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"fmt"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/table"
)

// translate updates the State's objects that follow from the differences of before and r. It only computes.
func (r *records) translate(before *records, s *ofnet.State) {
	concerned := affected(before, r)
	concerned.classify(before, r)
	for k := range concerned {
		switch k.Kind {
		case ofnet.KindClassPolicy:
			r.setClassPolicies(s, k.Name)
		case kindJudgement:
			set(s.Judgements, k.Name, r.net.classes.Judgement(k.Name))
		case ofnet.KindHost:
			set(s.Hosts, k.Name, r.wantHost(k.Name, s))
		case ofnet.KindTenant:
			set(s.Tenants, k.Name, r.wantTenant(k.Name))
		case ofnet.KindSegment:
			set(s.Segments, k.Name, r.wantSegment(k.Name))
		case ofnet.KindGroup:
			set(s.Groups, k.Name, r.wantGroup(k.Name))
		case ofnet.KindRule:
			if id, err := identity.ParseRule(k.Name); err == nil {
				setFunc(s.Rules, id, r.wantRule(id), (*ofnet.Rule).Equal)
			}
		case kindAttachment:
			if id, err := identity.ParseAttachment(k.Name); err == nil {
				set(s.Attachments, id, r.wantAttachment(id))
			}
		case ofnet.KindService:
			setService(s, k.Name, r.wantService(k.Name))
		case ofnet.KindEndpoint:
			set(s.Endpoints, k.Name, r.wantEndpoint(k.Name))
		}
	}
}

// set makes the row of a name equal to want; nil deletes it.
func set[K, T comparable](t *table.Table[K, *T], name K, want *T) {
	setFunc(t, name, want, func(a, b *T) bool { return *a == *b })
}

// setFunc is set with an equality function.
func setFunc[K comparable, T any](t *table.Table[K, *T], name K, want *T, equal func(a, b *T) bool) {
	have := t.Get(name)
	switch {
	case want == nil:
		t.Delete(name)
	case have == nil || !equal(have, want):
		t.Set(name, want)
	}
}

func setService(s *ofnet.State, name string, want *ofnet.Service) {
	have := s.Services.Get(name)
	switch {
	case want == nil:
		s.Services.Delete(name)
	case have == nil || !have.Equal(want):
		s.SetService(want)
	}
}

// wantHost keeps the State's own description of this host: the agent knows that better than its registration.
func (r *records) wantHost(label string, s *ofnet.State) *ofnet.Host {
	if label == s.Self {
		return s.Hosts.Get(label)
	}
	h := r.hosts.Get(label)
	switch {
	case label == "" || r.machines.Get(label) == nil && endpointsOfHost.In(r.endpoints, label).Len() == 0:
		return nil
	case h == nil:
		return &ofnet.Host{Label: label}
	}
	return h
}

func (r *records) wantTenant(name string) *ofnet.Tenant {
	t := r.tenants.Get(name)
	if t == nil || !r.present(name) {
		return nil
	}
	return &ofnet.Tenant{Name: name, ID: t.VRF}
}

func (r *records) wantSegment(id string) *ofnet.Segment {
	n := r.networks.Get(id)
	if own, ok := r.ownVLAN(identity.SegmentGroup(id).String()); ok && own.ID.String() == id {
		n = &own
	}
	if n == nil || !r.present(n.ID.Tenant) {
		return nil
	}
	seg, err := segment(n, &r.global)
	if err != nil {
		return nil // put has reported the error
	}
	return seg
}

func (r *records) wantGroup(id string) *ofnet.Group {
	g := r.groups.Get(id)
	if g == nil || !r.present(g.ID.Tenant) {
		return nil
	}
	p, _ := profile(g) // put has reported an error
	return &ofnet.Group{Name: id, Tenant: g.ID.Tenant, ID: uint32(g.Number), Profile: p}
}

func (r *records) wantRule(id identity.Rule) *ofnet.Rule {
	if !r.present(id.Tenant) {
		return nil
	}
	return r.rules.Get(id)
}

func (r *records) wantAttachment(id identity.Attachment) *ofnet.Attachment {
	if r.byACI() || !r.present(id.Tenant) || r.attachments.Get(id) == nil {
		return nil
	}
	return &ofnet.Attachment{ID: id}
}

func (r *records) wantEndpoint(id string) *ofnet.Endpoint {
	e := r.endpoints.Get(id)
	if e == nil || !r.present(e.ID.Tenant) {
		return nil
	}
	var port uint32
	if e.Host == r.self {
		port = r.ports.Get(id)
	}
	out := &ofnet.Endpoint{ID: id, Segment: e.ID.Network.String(), Group: e.Group.String(), Host: e.Host, Port: port, MAC: ofnet.MAC(e.MAC), IP4: e.IP, IP6: e.IP6,
		Limits: ofnet.Limits{Rate: e.Bandwidth.Send, Burst: e.Bandwidth.SendBurst, ReceiveRate: e.Bandwidth.Receive, ReceiveBurst: e.Bandwidth.ReceiveBurst}}
	if own, ok := r.ownVLAN(out.Group); ok {
		out.Segment = own.ID.String()
	}
	out.Class, out.Isolated = r.net.classes.Class(id)
	return out
}

// segment returns the segment of a network record.
func segment(n *record.Network, g *record.Global) (*ofnet.Segment, error) {
	bad := func(what string, got any) error {
		return fmt.Errorf("%s: got %v", what, got)
	}
	s := &ofnet.Segment{Name: n.ID.String(), Tenant: n.ID.Tenant, ID: n.SegmentID(), Mode: ofnet.Bridge, ARP: ofnet.Proxy,
		Prefix4: n.Subnet, Gateway4: n.Gateway, Prefix6: n.Subnet6, Gateway6: n.Gateway6}
	switch n.Encap {
	case record.VLAN:
		s.Encap, s.Tag = ofnet.VLAN, uint32(n.PktTag)
		if n.PktTag < 1 || n.PktTag > 4094 {
			return nil, bad("want a VLAN id within 1..4094", n.PktTag)
		}
	case record.VXLAN:
		s.Encap, s.Tag = ofnet.VXLAN, uint32(n.ExtPktTag)
		if n.ExtPktTag < 1 || n.ExtPktTag > ofnet.LastVNI {
			return nil, bad(fmt.Sprintf("want a VNI within 1..%d", ofnet.LastVNI), n.ExtPktTag)
		}
	default:
		return nil, bad("want pktTagType vlan or vxlan", n.Encap)
	}
	if g.FwdMode == record.FwdRouting {
		s.Mode = ofnet.Routing
	}
	if g.ArpMode == record.ArpFlood {
		s.ARP = ofnet.Flood
	}
	s.First4, s.Last4 = n.Addresses.First, n.Addresses.Last
	return s, nil
}

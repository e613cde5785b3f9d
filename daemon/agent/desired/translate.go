package desired

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/table"
)

// translate brings the objects that follow from what is not the same in before and r up to what r says. It computes only.
func (r *records) translate(before *records, s *ofnet.State) {
	for k := range affected(before, r) {
		switch k.Kind {
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

// set makes the row of a name equal to want, nil meaning none.
func set[K, T comparable](t *table.Table[K, *T], name K, want *T) {
	setFunc(t, name, want, func(a, b *T) bool { return *a == *b })
}

// setFunc is set for what equal compares.
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

// wantHost keeps what the State says of this host itself: the agent knows that better than its registration.
func (r *records) wantHost(label string, s *ofnet.State) *ofnet.Host {
	if label == s.Self {
		return s.Hosts.Get(label)
	}
	h := r.hosts.Get(label)
	silent := agentsOfHost.In(r.agents, label).Len() == 0
	switch {
	case label == "" || silent && endpointsOfHost.In(r.endpoints, label).Len() == 0:
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
	if own, ok := r.ownVLAN(id); n == nil && ok {
		n = &own
	}
	if n == nil || !r.present(n.Tenant) {
		return nil
	}
	seg, err := segment(n, &r.global)
	if err != nil {
		return nil // put has refused it and said so
	}
	return seg
}

func (r *records) wantGroup(id string) *ofnet.Group {
	g := r.groups.Get(id)
	if g == nil || !r.present(g.TenantName) {
		return nil
	}
	p, _ := profile(g) // of one that cannot be read put has said so
	return &ofnet.Group{Name: id, Tenant: g.TenantName, ID: uint32(g.EndpointGroupID), Profile: p}
}

func (r *records) wantRule(id identity.Rule) *ofnet.Rule {
	if !r.present(id.Tenant) {
		return nil
	}
	if rule := r.rules.Get(id); rule != nil {
		return rule
	}
	return r.legacyRule(id)
}

func (r *records) wantAttachment(id identity.Attachment) *ofnet.Attachment {
	if r.byACI() || !r.present(id.Tenant) || r.attachments.Get(id) == nil && legacyOfAttachment.In(r.legacy.attachments, id).Len() == 0 {
		return nil
	}
	return &ofnet.Attachment{ID: id}
}

func (r *records) wantEndpoint(id string) *ofnet.Endpoint {
	e := r.endpoints.Get(id)
	if e == nil || !r.present(e.Tenant) {
		return nil
	}
	var port uint32
	if e.HomingHost == r.self {
		port = r.ports.Get(id)
	}
	ep, err := endpoint(e, port)
	if err != nil {
		return nil
	}
	if _, own := r.ownVLAN(e.EndpointGroupKey); own {
		ep.Segment = e.EndpointGroupKey
	}
	return ep
}

// segment makes a segment of a network record.
func segment(n *record.Network, g *record.Global) (*ofnet.Segment, error) {
	bad := func(what string, got any) error {
		return fmt.Errorf("%s: got %v", what, got)
	}
	s := &ofnet.Segment{Name: n.ID, Tenant: n.Tenant, ID: n.SegmentID(), Mode: ofnet.Bridge, ARP: ofnet.Proxy}
	switch n.PktTagType {
	case "vlan":
		s.Encap, s.Tag = ofnet.VLAN, uint32(n.PktTag)
		if n.PktTag < 1 || n.PktTag > 4094 {
			return nil, bad("want a VLAN id within 1..4094", n.PktTag)
		}
	case "vxlan":
		s.Encap, s.Tag = ofnet.VXLAN, uint32(n.ExtPktTag)
		if n.ExtPktTag < 1 || n.ExtPktTag > ofnet.LastVNI {
			return nil, bad(fmt.Sprintf("want a VNI within 1..%d", ofnet.LastVNI), n.ExtPktTag)
		}
	default:
		return nil, bad("want pktTagType vlan or vxlan", n.PktTagType)
	}
	if g.FwdMode == "routing" {
		s.Mode = ofnet.Routing
	}
	if g.ArpMode == "flood" {
		s.ARP = ofnet.Flood
	}
	var err error
	if s.Prefix4, s.Gateway4, err = subnet(n.SubnetIP, n.SubnetLen, n.Gateway); err != nil {
		return nil, bad("IPv4", err)
	}
	if s.Prefix6, s.Gateway6, err = subnet(n.IPv6Subnet, n.IPv6Len, n.IPv6Gateway); err != nil {
		return nil, bad("IPv6", err)
	}
	if n.IPAddrRange != "" {
		first, last, _ := strings.Cut(n.IPAddrRange, "-")
		if s.First4, err = netip.ParseAddr(first); err == nil {
			s.Last4, err = netip.ParseAddr(last)
		}
		if err != nil {
			return nil, bad("range of IPv4 addresses", err)
		}
	}
	return s, nil
}

// subnet reads prefix and gateway; all empty is no subnet.
func subnet(ip string, length uint, gateway string) (p netip.Prefix, gw netip.Addr, err error) {
	if ip == "" {
		return p, gw, nil
	}
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return p, gw, err
	}
	if length > uint(addr.BitLen()) {
		return p, gw, fmt.Errorf("length %d of subnet %s", length, ip)
	}
	p = netip.PrefixFrom(addr, int(length)).Masked()
	if gateway != "" {
		if gw, err = netip.ParseAddr(gateway); err != nil {
			return p, gw, err
		}
		if !p.Contains(gw) {
			return p, gw, fmt.Errorf("gateway %s is outside of %s", gw, p)
		}
	}
	return p, gw, nil
}

// endpoint makes an endpoint of its record.
func endpoint(e *record.Endpoint, port uint32) (*ofnet.Endpoint, error) {
	out := &ofnet.Endpoint{ID: e.ID, Segment: e.NetID, Group: e.EndpointGroupKey, Host: e.HomingHost, Port: port}
	hw, err := net.ParseMAC(e.MacAddress)
	if err != nil || len(hw) != len(out.MAC) {
		return nil, fmt.Errorf("%q is not a MAC address", e.MacAddress)
	}
	copy(out.MAC[:], hw)
	for _, a := range []struct {
		text string
		to   *netip.Addr
	}{{e.IPAddress, &out.IP4}, {e.IPv6Address, &out.IP6}} {
		if a.text == "" {
			continue
		}
		p, err := netip.ParsePrefix(a.text)
		if err == nil {
			*a.to = p.Addr()
			continue
		}
		if *a.to, err = netip.ParseAddr(a.text); err != nil {
			return nil, fmt.Errorf("%q is not an IP address", a.text)
		}
	}
	if (out.IP4.IsValid() && !out.IP4.Is4()) || (out.IP6.IsValid() && !out.IP6.Is6()) {
		return nil, fmt.Errorf("addresses %q and %q are of the wrong families", e.IPAddress, e.IPv6Address)
	}
	return out, nil
}

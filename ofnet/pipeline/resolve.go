// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"github.com/contiv/contiv/ofnet"
)

// member is an endpoint with the objects that it belongs to, all present.
type member struct {
	*ofnet.Endpoint
	net    *ofnet.Segment
	tenant *ofnet.Tenant
	group  uint32 // 0: none
	local  bool
	host   *ofnet.Host
}

// endpoint returns the endpoint that owner names. ok is false if owner is no endpoint, if an object that the endpoint belongs to is
// missing, or if there is no path to it yet: no local port, no tunnel address of its host.
func endpoint(s *ofnet.State, owner ofnet.Key) (m member, ok bool) {
	if owner.Kind != ofnet.KindEndpoint {
		return m, false
	}
	return resolve(s, s.Endpoints.Get(owner.Name))
}

func resolve(s *ofnet.State, e *ofnet.Endpoint) (m member, ok bool) {
	if e == nil {
		return m, false
	}
	m = member{Endpoint: e, net: s.Segments.Get(e.Segment), host: s.Hosts.Get(e.Host), local: e.Host == s.Self}
	if m.net == nil || m.host == nil {
		return m, false
	}
	if m.tenant = s.Tenants.Get(m.net.Tenant); m.tenant == nil {
		return m, false
	}
	if g := s.Groups.Get(e.Group); g != nil {
		m.group = g.ID
	}
	switch {
	case m.local:
		return m, e.Port != 0
	case m.net.Encap == ofnet.VXLAN:
		return m, m.host.VTEP.IsValid() && s.Local.Tunnel != 0
	default:
		return m, s.Local.Uplink != 0
	}
}

// here is endpoint for local ones.
func here(s *ofnet.State, owner ofnet.Key) (m member, ok bool) {
	m, ok = endpoint(s, owner)
	return m, ok && m.local
}

// segment returns the segment that owner names, with its tenant.
func segment(s *ofnet.State, owner ofnet.Key) (n *ofnet.Segment, t *ofnet.Tenant, ok bool) {
	if owner.Kind != ofnet.KindSegment {
		return nil, nil, false
	}
	if n = s.Segments.Get(owner.Name); n == nil {
		return nil, nil, false
	}
	t = s.Tenants.Get(n.Tenant)
	return n, t, t != nil
}

// OwnsGateway reports whether the network's gateway is this switch: everywhere except on a bridged VLAN, whose gateway is a machine
// outside.
func OwnsGateway(n *ofnet.Segment) bool { return n.Mode == ofnet.Routing || n.Encap == ofnet.VXLAN }

// uplinkMAC is the source of routed frames on this host's uplink.
func uplinkMAC(s *ofnet.State) ofnet.MAC {
	if h := s.Hosts.Get(s.Self); h != nil {
		return h.UplinkMAC
	}
	return ofnet.MAC{}
}

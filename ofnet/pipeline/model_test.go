// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
)

// model computes the fate of a frame from the rules, as an operator understands them. It shares nothing with the compiler but the State,
// and knows no tables.
type model struct {
	*ofnet.State
	*kubernetes
}

// routerMAC, hostMAC are written out once more: the wire is the contract.
var (
	routerMAC = ofnet.MAC{0x00, 0x00, 0x11, 0x11, 0x11, 0x11}
	hostMAC   = ofnet.MAC{0x02, 0x02, 0xac, 0x13, 0xff, 0xfe}
)

// way is how a frame comes in: by an endpoint's port, by the uplink, or out of a tunnel.
type way struct {
	endpoint *ofnet.Endpoint
	peer     netip.Addr // the far end of a tunnel; invalid for the uplink
	vni      uint32
	host     bool // by the host's own port
}

// visit is one frame on its way through the model.
type visit struct {
	model
	in  way
	f   frame
	net *ofnet.Segment
	// origin is who has the sender's address, of a frame that comes from outside.
	origin *ofnet.Endpoint
	out    []string
}

// verdict lists where the frame comes out and as what, sorted; nothing when it is dropped.
func (m model) verdict(in way, f frame) []string {
	v := &visit{model: m, in: in, f: f}
	if v.enter() {
		v.forward()
	}
	slices.Sort(v.out)
	return v.out
}

func (v *visit) local() bool { return v.in.endpoint != nil }

// enter says whose frame it is, and whether they may say this.
func (v *visit) enter() bool {
	if v.f.src[0]&1 == 1 {
		return false
	}
	if v.local() {
		v.net = v.Segments.Get(v.in.endpoint.Segment)
		return v.honest()
	}
	known := !v.in.peer.IsValid()
	for _, h := range v.Hosts.All() {
		known = known || h.VTEP == v.in.peer && h.Label != v.Self
	}
	for _, n := range v.Segments.All() {
		if v.in.peer.IsValid() && n.Encap == ofnet.VXLAN && n.Tag == v.in.vni || !v.in.peer.IsValid() && n.Encap == ofnet.VLAN && v.f.vlan == int(n.Tag) {
			v.net = n
		}
	}
	v.f.vlan = 0
	if !known || v.net == nil {
		return false
	}
	if !v.in.peer.IsValid() && v.claims() || v.in.peer.IsValid() && v.foreign() {
		return false
	}
	if v.f.kind != "arp" && v.f.kind != "ns" && v.f.kind != "na" { // addresses of this host cannot come from outside
		v.origin = v.byAddr(v.f.from)
		if v.origin != nil && v.origin.Host == v.Self {
			return false
		}
	}
	return true
}

// claims says that a machine behind the uplink says to have the address of an endpoint, and no one lets it.
func (v *visit) claims() bool {
	a, answers := v.f.from, v.f.kind == "arp" && v.f.op == 2 || v.f.kind == "na"
	if v.f.kind == "na" {
		a = v.f.target
	}
	e := v.byAddr(a)
	if e == nil || e.Segment != v.net.Name || v.f.kind != "arp" && v.f.kind != "ns" && v.f.kind != "na" {
		return false
	}
	return e.Host == v.Self || answers && v.net.ARP == ofnet.Proxy
}

// foreign says that a frame out of a tunnel is not of an endpoint of that tunnel's host, though an endpoint has the address, or that it
// answers what no one has asked elsewhere.
func (v *visit) foreign() bool {
	e := v.byAddr(v.f.from)
	if answers := v.f.kind == "arp" && v.f.op == 2 || v.f.kind == "na"; answers && (v.net.ARP == ofnet.Proxy || v.net.Mode != ofnet.Bridge) {
		return true
	}
	if target := v.byAddr(v.f.target); v.f.kind == "na" && target != nil {
		e = target
	}
	return e != nil && v.Hosts.Get(e.Host).VTEP != v.in.peer
}

// honest says that a local endpoint speaks with its own addresses.
func (v *visit) honest() bool {
	e, f := v.in.endpoint, v.f
	switch {
	case f.src != e.MAC || f.vlan != 0:
		return false
	case f.kind == "arp":
		return f.sha == e.MAC && e.IP4.IsValid() && (f.from == e.IP4 || f.from == netip.IPv4Unspecified())
	case f.kind == "ns":
		return f.sha == e.MAC && e.IP6.IsValid() && (f.from == e.IP6 || f.from == linkLocal(e.MAC))
	case f.kind == "na":
		return f.sha == e.MAC && e.IP6.IsValid() && f.from == f.target && (f.from == e.IP6 || v.asksBack() && f.from == linkLocal(e.MAC))
	case f.kind == "ra" || f.kind == "raw":
		return false
	}
	return f.from == e.IP4 || f.from == e.IP6
}

func linkLocal(m ofnet.MAC) netip.Addr {
	a, _ := netip.ParseAddr(fmt.Sprintf("fe80::%02x%02x:%02xff:fe%02x:%02x%02x", m[0]^2, m[1], m[2], m[3], m[4], m[5]))
	return a
}

// byAddr finds who has an address in the tenant of the frame.
func (v *visit) byAddr(a netip.Addr) *ofnet.Endpoint {
	for _, e := range v.Endpoints.All() {
		if (e.IP4 == a || e.IP6 == a) && v.Segments.Get(e.Segment).Tenant == v.net.Tenant {
			return e
		}
	}
	return nil
}

// byMAC finds who has a link address in the network of the frame.
func (v *visit) byMAC(m ofnet.MAC) *ofnet.Endpoint {
	for _, e := range v.Endpoints.All() {
		if e.MAC == m && e.Segment == v.net.Name {
			return e
		}
	}
	return nil
}

// ours says that this switch is the network's gateway.
func ours(n *ofnet.Segment) bool { return n.Encap == ofnet.VXLAN || n.Mode == ofnet.Routing }

func (v *visit) forward() {
	f := v.f
	switch {
	case f.kind == "raw":
	case f.kind == "arp" && f.op == 1:
		v.question(f.to)
	case f.kind == "ns":
		v.question(f.target)
	case f.kind == "na" && v.asksBack() && v.turns():
	case f.kind == "arp" || f.kind == "na":
		v.bridge()
	case v.local() && ours(v.net) && (f.to == v.net.Gateway4 || f.to == v.net.Gateway6):
		if f.kind == "ping" {
			f.kind, f.src, f.dst, f.from, f.to, f.ttl = "pong", routerMAC, f.src, f.to, f.from, 64
			v.back(f)
		}
	case f.dst == routerMAC || !v.local() && !v.in.peer.IsValid() && f.dst == v.Hosts.Get(v.Self).UplinkMAC:
		v.route()
	default:
		v.bridge()
	}
}

// question is a request for the link address of a.
func (v *visit) question(a netip.Addr) {
	e := v.byAddr(a)
	if e != nil && e.Segment != v.net.Name {
		e = nil
	}
	isGateway := ours(v.net) && a.IsValid() && (a == v.net.Gateway4 || a == v.net.Gateway6)
	fromUplink := !v.local() && !v.in.peer.IsValid()
	toUplink := v.net.Encap == ofnet.VLAN && v.local()
	switch {
	case v.local() && v.f.kind == "arp" && a == v.in.endpoint.IP4:
		if v.net.Encap == ofnet.VLAN || v.net.ARP == ofnet.Flood {
			v.flood()
		}
	case v.local() && v.net.Mode == ofnet.Routing, v.local() && isGateway:
		v.answer(routerMAC)
	case v.net.Mode == ofnet.Routing && fromUplink:
		if e != nil && e.Host == v.Self {
			v.answer(v.Hosts.Get(v.Self).UplinkMAC)
		}
	case fromUplink && e != nil && e.Host == v.Self && v.f.kind == "ns" && v.asksBack(): // the endpoint answers itself
		f := v.f
		f.dst = e.MAC
		v.arrive(e, f)
	case fromUplink && e != nil && e.Host == v.Self, v.local() && e != nil && v.net.ARP == ofnet.Proxy:
		v.answer(e.MAC)
	case v.net.Mode == ofnet.Bridge && v.net.ARP == ofnet.Flood:
		v.flood()
	case toUplink:
		v.uplink(v.f)
	}
}

func (v *visit) answer(mac ofnet.MAC) {
	f := v.f
	f.dst, f.src = f.src, mac
	switch {
	case f.kind == "arp":
		f.op, f.tha, f.sha, f.from, f.to = 2, f.sha, mac, f.to, f.from
	case v.asksBack():
		f.sha, f.to, f.from, f.target = mac, f.from, f.target, f.from
	default:
		f.kind, f.sha, f.to, f.from = "na", mac, f.from, f.target
	}
	v.back(f)
}

// asksBack says that the datapath writes no advertisements: whom it would answer it asks, in the name of the address that is asked for.
func (m model) asksBack() bool { return m.Missing.Has(ofnet.NDExtensions) }

// turns gives an advertisement that answers such a question back, as of the one who is answered, and reports whether it is one.
func (v *visit) turns() bool {
	e, f, fromUplink := v.byAddr(v.f.to), v.f, !v.local() && !v.in.peer.IsValid()
	if e != nil && e.Segment != v.net.Name {
		e = nil
	}
	switch {
	case v.net.Mode == ofnet.Routing && v.local() && f.dst[0]&1 == 0:
		f.src = routerMAC
	case v.net.Mode == ofnet.Routing && fromUplink && e != nil && e.Host == v.Self:
		f.src = v.Hosts.Get(v.Self).UplinkMAC
	case v.net.Mode == ofnet.Bridge && v.local() && ours(v.net) && f.to == v.net.Gateway6:
		f.src = routerMAC
	case v.net.Mode == ofnet.Bridge && v.local() && e != nil && v.net.ARP == ofnet.Proxy:
		f.src = e.MAC
	default:
		return false
	}
	f.sha, f.dst, f.from, f.to, f.target = f.src, v.f.src, f.to, f.target, f.to
	v.back(f)
	return true
}

// back sends f where the frame has come from.
func (v *visit) back(f frame) {
	if v.local() {
		v.say(fmt.Sprintf("p%d", v.in.endpoint.Port), f)
	} else {
		v.uplink(f)
	}
}

func (v *visit) say(where string, f frame) { v.out = append(v.out, fmt.Sprintf("%s: %v", where, f)) }

func (v *visit) uplink(f frame) {
	f.vlan = int(v.net.Tag)
	v.say("uplink", f)
}

func (v *visit) tunnel(host string, f frame) {
	v.say(fmt.Sprintf("tunnel %s vni %d", v.Hosts.Get(host).VTEP, v.net.Tag), f)
}

// give hands f to an endpoint. A frame from outside does not leave again, and no frame returns to its sender.
func (v *visit) give(e *ofnet.Endpoint, f frame) {
	switch {
	case e == v.in.endpoint || !v.mayLeave(e):
	case e.Host == v.Self:
		v.arrive(e, f)
	case !v.local():
	case v.net.Encap == ofnet.VXLAN:
		v.tunnel(e.Host, f)
	default:
		v.uplink(f)
	}
}

// flood gives each member of the network a copy: each host one, and the world behind the uplink one.
func (v *visit) flood() {
	hosts := map[string]bool{}
	if !v.mayLeave(nil) {
		return
	}
	for _, e := range v.Endpoints.All() {
		switch {
		case e.Segment != v.net.Name || e == v.in.endpoint:
		case e.Host == v.Self:
			v.arrive(e, v.f)
		case v.local() && v.net.Encap == ofnet.VXLAN && !hosts[e.Host]:
			hosts[e.Host] = true
			v.tunnel(e.Host, v.f)
		}
	}
	if v.local() && v.net.Encap == ofnet.VLAN {
		v.uplink(v.f)
	}
}

func (v *visit) bridge() {
	e := v.byMAC(v.f.dst)
	switch {
	case e != nil:
		v.give(e, v.f)
	case v.net.Mode != ofnet.Bridge:
	case v.f.dst[0]&1 == 1:
		v.flood()
	case v.net.Encap == ofnet.VLAN && v.local():
		if v.mayLeave(nil) {
			v.uplink(v.f)
		}
	case v.net.Encap == ofnet.VXLAN && v.net.ARP == ofnet.Flood:
		v.flood()
	}
}

func (v *visit) route() {
	f := v.f
	if f.ttl <= 1 {
		return
	}
	f.ttl--
	f.src = routerMAC
	if e := v.byAddr(f.to); e != nil {
		if e == v.in.endpoint {
			return
		}
		v.net = v.Segments.Get(e.Segment)
		f.dst = e.MAC
		if e.Host != v.Self && v.net.Encap == ofnet.VLAN {
			f.src = v.Hosts.Get(v.Self).UplinkMAC
			if v.net.Mode == ofnet.Routing {
				f.dst = v.Hosts.Get(e.Host).UplinkMAC
			}
		}
		v.give(e, f)
		return
	}
	for _, n := range v.Segments.All() {
		if n.Tenant == v.net.Tenant && n.Prefix4.IsValid() && n.Prefix4.Contains(f.to) {
			return
		}
	}
	if f.to.Is4() && v.local() && ours(v.net) && v.mayLeave(nil) {
		p := v.in.endpoint.Port
		f.from, f.dst = netip.AddrFrom4([4]byte{172, 19, byte(p >> 8), byte(p)}), hostMAC
		v.say("contivh0", f)
	}
}

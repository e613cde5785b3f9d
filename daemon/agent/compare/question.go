// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/judge"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

const (
	clientPort = 40000 // source of sampled packets: one of the ephemeral ports
	dnsPort    = 53    // queries to it may go to the agent
)

// question is a packet that opens a connection. The sender or the receiver is on this host.
type question struct {
	from, to string // endpoints; to is empty if service is not
	service  string // key of State.Services
	protocol uint8
	port     uint16 // that is connected to; 0 for pings
	six      bool
}

// traffic describes the packet: "tcp 80".
func (q question) traffic() string {
	name := map[uint8]string{ofnet.ProtocolTCP: "tcp", ofnet.ProtocolUDP: "udp"}[q.protocol]
	if name == "" {
		return "icmp"
	}
	return name + " " + strconv.Itoa(int(q.port))
}

// target is the object that the packet goes to.
func (q question) target() ofnet.Key {
	if q.service != "" {
		return ofnet.Key{Kind: ofnet.KindService, Name: q.service}
	}
	return ofnet.Key{Kind: ofnet.KindEndpoint, Name: q.to}
}

// egress is where a packet to an endpoint leaves the switch.
type egress struct {
	ports []uint32   // any of them
	peer  netip.Addr // the far end of a tunnel; invalid: no tunnel
}

// taken reports whether a packet leaves there.
func (e egress) taken(way *vswitchd.Trace) bool {
	if !slices.ContainsFunc(e.ports, func(p uint32) bool { return slices.Contains(way.Ports, p) }) {
		return false
	}
	if !e.peer.IsValid() {
		return true
	}
	for _, field := range []string{"tun_dst", "tun_ipv6_dst"} {
		if a, err := netip.ParseAddr(way.End[field]); err == nil && a == e.peer {
			return true
		}
	}
	return false
}

// expected is what the State says about a question.
type expected struct {
	packet  string // for ofproto/trace
	local   string // the endpoint here whose finding a difference is
	verdict judge.Verdict
	egress  []egress // by one of which an allowed packet leaves, and a denied one does not
}

// expect evaluates a question; ok is false if the State does not determine the answer.
func expect(s *ofnet.State, q question) (out expected, ok bool) {
	from := s.Endpoints.Get(q.from)
	if from == nil || q.port == dnsPort {
		return out, false
	}
	network := s.Segments.Get(from.Segment)
	src := addressOf(from, q.six)
	if network == nil || !src.IsValid() {
		return out, false
	}
	if q.service != "" {
		return expectService(s, q, from, network, src)
	}
	to := s.Endpoints.Get(q.to)
	if to == nil || to == from {
		return out, false
	}
	target, dst := s.Segments.Get(to.Segment), addressOf(to, q.six)
	if target == nil || !dst.IsValid() || s.Private.Contains(dst) || s.FirstAt(dst, func(v *ofnet.Service) bool { return v.Tenant == network.Tenant }) != nil {
		return out, false
	}
	p := judge.Packet{Src: src, Dst: dst, Protocol: q.protocol, Port: q.port}
	if from.Host != s.Self {
		return expectArrival(s, q, from, to, target, p)
	}
	out.local = from.ID
	mac, reaches := pipeline.RouterMAC, routed(s, network, dst)
	switch {
	case from.Port == 0:
		return out, false
	case network.Tenant != target.Tenant:
		if to.Host != s.Self || to.Port == 0 || !reaches {
			return out, false
		}
		out.egress = []egress{{ports: []uint32{to.Port}}}
		out.packet = packetText("in_port="+strconv.FormatUint(uint64(from.Port), 10), from.MAC, mac, p)
		return out, true // tenants are apart: denied
	case network == target && network.Mode == ofnet.Bridge:
		mac, reaches = to.MAC, true
	}
	x, known := egressTo(s, to, target)
	if !reaches || !known {
		return out, false
	}
	out.packet = packetText("in_port="+strconv.FormatUint(uint64(from.Port), 10), from.MAC, mac, p)
	out.verdict, out.egress = verdictOf(s, from, to, p), []egress{x}
	return out, true
}

// addressOf returns an endpoint's address of a family.
func addressOf(e *ofnet.Endpoint, six bool) netip.Addr {
	if six {
		return e.IP6
	}
	return e.IP4
}

// routed reports whether containers of a network send packets for another one to the switch: it is their gateway.
func routed(s *ofnet.State, n *ofnet.Segment, dst netip.Addr) bool {
	switch {
	case !pipeline.OwnsGateway(n):
		return false
	case n.Mode == ofnet.Routing || s.Direct:
		return true
	case dst.Is6():
		return n.Gateway6.IsValid() || n.Prefix6.Contains(dst)
	}
	return n.Gateway4.IsValid() || n.Prefix4.Contains(dst)
}

// verdictOf joins the verdicts of the ends that are on this host.
func verdictOf(s *ofnet.State, from, to *ofnet.Endpoint, p judge.Packet) judge.Verdict {
	v := judge.Sent(s, from, to, p)
	if !v.Allowed || to.Host != s.Self {
		return v
	}
	if in := judge.Received(s, from, to, p); !in.Allowed || in.By != (ofnet.Key{}) {
		return in
	}
	return v
}

// egressTo returns where packets to an endpoint leave the switch; ok is false if the switch has no such port.
func egressTo(s *ofnet.State, to *ofnet.Endpoint, n *ofnet.Segment) (x egress, ok bool) {
	switch h := s.Hosts.Get(to.Host); {
	case to.Host == s.Self:
		return egress{ports: []uint32{to.Port}}, to.Port != 0
	case n.Encap == ofnet.VLAN:
		return egress{ports: s.Local.Uplinks()}, s.Local.Uplink != 0
	case h == nil || !h.VTEP.IsValid():
		return egress{}, false
	default:
		return egress{ports: []uint32{s.Local.Tunnel}, peer: h.VTEP}, s.Local.Tunnel != 0
	}
}

// expectArrival is expect for the packet of an endpoint of another host on the receiver's network, as it arrives here.
func expectArrival(s *ofnet.State, q question, from, to *ofnet.Endpoint, n *ofnet.Segment, p judge.Packet) (out expected, ok bool) {
	if to.Host != s.Self || to.Port == 0 || from.Segment != to.Segment || n.Mode != ofnet.Bridge {
		return out, false
	}
	in := ""
	switch h, own := s.Hosts.Get(from.Host), s.Hosts.Get(s.Self); {
	case n.Encap == ofnet.VLAN && s.Local.Uplink != 0:
		in = fmt.Sprintf("in_port=%d,dl_vlan=%d,dl_vlan_pcp=0", s.Local.ActiveUplink(), n.Tag)
	case n.Encap == ofnet.VXLAN && s.Local.Tunnel != 0 && h != nil && own != nil && h.VTEP.IsValid() && own.VTEP.IsValid():
		field := "tun"
		if h.VTEP.Is6() {
			field = "tun_ipv6"
		}
		in = fmt.Sprintf("in_port=%d,tun_id=%d,%s_src=%s,%s_dst=%s", s.Local.Tunnel, n.Tag, field, h.VTEP, field, own.VTEP)
	default:
		return out, false
	}
	out.packet = packetText(in, from.MAC, to.MAC, p)
	out.local, out.verdict, out.egress = to.ID, judge.Received(s, from, to, p), []egress{{ports: []uint32{to.Port}}}
	return out, true
}

// expectService is expect for a packet to the first address of a service that is its own and open to all. The service must direct it to any of its backends,
// all of which are endpoints with the same verdict.
func expectService(s *ofnet.State, q question, from *ofnet.Endpoint, n *ofnet.Segment, src netip.Addr) (out expected, ok bool) {
	v := s.Services.Get(q.service)
	if v == nil || from.Host != s.Self || from.Port == 0 || v.Tenant != n.Tenant || v.ClusterLocal || q.port == 0 {
		return out, false
	}
	addrs := v.Addresses()
	i := slices.IndexFunc(addrs, func(a netip.Addr) bool { return a.Is6() == q.six && !v.Borrows(a) && !slices.Contains(v.Guarded, a) })
	port := v.Port(q.protocol, q.port)
	if i < 0 || port == nil || !routed(s, n, addrs[i]) || s.FirstAt(addrs[i], func(o *ofnet.Service) bool { return o.Tenant == v.Tenant && o.Port(q.protocol, q.port) != nil }) != v {
		return out, false
	}
	out.local = from.ID
	for _, b := range port.Backends {
		if b.Addr.Is6() != q.six {
			continue
		}
		to := s.At(v.Tenant, b.Addr)
		if to == nil || to == from || b.Host != "" || b.Draining || b.Far || b.Target == dnsPort {
			return out, false
		}
		target := s.Segments.Get(to.Segment)
		if target == nil {
			return out, false
		}
		x, known := egressTo(s, to, target)
		one := verdictOf(s, from, to, judge.Packet{Src: src, Dst: b.Addr, Protocol: q.protocol, Port: b.Target})
		if !known || len(out.egress) > 0 && one.Allowed != out.verdict.Allowed {
			return out, false
		}
		out.verdict, out.egress = one, append(out.egress, x)
	}
	out.packet = packetText("in_port="+strconv.FormatUint(uint64(from.Port), 10), from.MAC, pipeline.RouterMAC,
		judge.Packet{Src: src, Dst: addrs[i], Protocol: q.protocol, Port: q.port})
	return out, len(out.egress) > 0
}

// someHash replaces the hash that the datapath computes for a connection when a group uses it: without one, ofproto/trace would end there.
const someHash = "dp_hash=1"

// packetText describes a packet for ofproto/trace.
func packetText(in string, from, to ofnet.MAC, p judge.Packet) string {
	family, src, dst := "", "nw_src", "nw_dst"
	if p.Src.Is6() {
		family, src, dst = "6", "ipv6_src", "ipv6_dst"
	}
	what := ""
	switch p.Protocol {
	case ofnet.ProtocolTCP:
		what = fmt.Sprintf("tcp%s,tcp_src=%d,tcp_dst=%d,tcp_flags=0x002", family, clientPort, p.Port)
	case ofnet.ProtocolUDP:
		what = fmt.Sprintf("udp%s,udp_src=%d,udp_dst=%d", family, clientPort, p.Port)
	default:
		what = "icmp,icmp_type=8,icmp_code=0"
		if p.Src.Is6() {
			what = "icmp6,icmpv6_type=128,icmpv6_code=0"
		}
	}
	return strings.Join([]string{in, what, "dl_src=" + net.HardwareAddr(from[:]).String(), "dl_dst=" + net.HardwareAddr(to[:]).String(),
		src + "=" + p.Src.String(), dst + "=" + p.Dst.String(), "nw_ttl=64", someHash}, ",")
}

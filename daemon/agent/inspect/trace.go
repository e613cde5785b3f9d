// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// Control runs a command of ovs-vswitchd and returns what it prints.
type Control func(ctx context.Context, command string, args ...string) (string, error)

// maxRecirculations bounds the returns of a packet from the connection tracker.
const maxRecirculations = 4

// trace returns what the switch would do with the packet in the query's of.
func (o *Options) trace(w http.ResponseWriter, r *http.Request) {
	var ask model.TraceRequest
	if err := json.Unmarshal([]byte(r.URL.Query().Get("of")), &ask); err != nil {
		text(w, http.StatusBadRequest, "of: want a TraceRequest as JSON: "+err.Error()+"\n")
		return
	}
	if err := o.handed(&ask); err != nil {
		text(w, http.StatusServiceUnavailable, err.Error()+"\n")
		return
	}
	var packet string
	var err error
	var words *pipeline.Glossary
	o.Forward.View(func(s *ofnet.State) {
		packet, err = packetText(s, &ask)
		words = o.Pipeline.NewGlossary(s)
	})
	if err != nil {
		text(w, http.StatusBadRequest, err.Error()+"\n")
		return
	}
	way, err := o.ofprotoTrace(r.Context(), packet, ask.Answer)
	asked := err == nil && isQuestion(&ask.Packet) && toAgent(way)
	if asked {
		way, err = o.ofprotoTrace(r.Context(), packet+","+pipeline.Resumed(), ask.Answer)
	}
	if err != nil {
		text(w, http.StatusServiceUnavailable, err.Error()+"\n")
		return
	}
	out := model.Trace{Host: o.Status().Host, Steps: o.traceSteps(way, words), After: packetOf(way.End, ask.Packet), Agent: asked}
	o.Forward.View(func(s *ofnet.State) {
		if out.Outputs = egressPorts(s, way); asked && toRouter(s, &ask) {
			out.Outputs = []model.TraceExit{{Port: flow.PortController, To: "agent"}}
		}
	})
	o.followOutputs(&ask, &out)
	answer(w, out)
}

// ofprotoTrace asks ovs-vswitchd for the path of a packet.
func (o *Options) ofprotoTrace(ctx context.Context, packet string, answers bool) (*vswitchd.Trace, error) {
	args := []string{o.Driver().Bridge, packet}
	state := "trk,new"
	if answers {
		state = "trk,est,rpl"
	}
	for range maxRecirculations {
		args = append(args, "--ct-next", state)
	}
	printed, err := o.Control(ctx, "ofproto/trace", args...)
	if err != nil {
		return nil, err
	}
	return vswitchd.ParseTrace(printed, o.Driver().Bridge)
}

// isQuestion reports whether a packet is a DNS query, which the agent handles: a datagram to a name server (RFC 1035 section 4.2).
func isQuestion(p *model.TracePacket) bool { return p.Protocol == "udp" && p.DstPort == 53 }

// toAgent reports whether the packet goes to the agent, by a leased flow.
func toAgent(way *vswitchd.Trace) bool {
	if len(way.Steps) == 0 {
		return false
	}
	last := &way.Steps[len(way.Steps)-1]
	return last.Cookie.Feature() == flow.Leased && slices.ContainsFunc(last.Actions, func(a string) bool { return strings.HasPrefix(a, "CONTROLLER") })
}

// toRouter reports whether an endpoint's packet is for its gateway, and the switch itself is that gateway.
func toRouter(s *ofnet.State, ask *model.TraceRequest) bool {
	n := segmentOf(s, ask)
	dst, err := netip.ParseAddr(ask.Packet.Dst)
	return err == nil && n != nil && pipeline.OwnsGateway(n) && (dst == n.Gateway4 || dst == n.Gateway6)
}

// segmentOf returns the network that a packet comes from; nil if unknown here.
func segmentOf(s *ofnet.State, ask *model.TraceRequest) *ofnet.Segment {
	if id, ok := strings.CutPrefix(ask.From, "endpoint/"); ok {
		if e := s.Endpoints.Get(id); e != nil {
			return s.Segments.Get(e.Segment)
		}
		return nil
	}
	return s.Segments.Get(ask.Network)
}

// someHash replaces the hash that the datapath computes for a connection when a group uses it. Without a hash, ofproto/trace would end
// there.
const someHash = "dp_hash=1"

// packetText describes the packet for ofproto/trace. It parses every part of the request before it uses it.
func packetText(s *ofnet.State, ask *model.TraceRequest) (string, error) {
	in, err := ingressMatch(s, ask)
	if err != nil {
		return "", err
	}
	p := &ask.Packet
	src, err := netip.ParseAddr(p.Src)
	if err != nil {
		return "", fmt.Errorf("src: %w", err)
	}
	dst, err := netip.ParseAddr(p.Dst)
	if err != nil || dst.Is4() != src.Is4() {
		return "", fmt.Errorf("dst: %q is no address of the family of %s", p.Dst, src)
	}
	if src.Zone() != "" || dst.Zone() != "" {
		return "", fmt.Errorf("src, dst: addresses have no zone here")
	}
	smac, err := macOf(p.SrcMAC)
	if err != nil {
		return "", fmt.Errorf("srcMAC: %w", err)
	}
	dmac, err := macOf(p.DstMAC)
	if err != nil {
		return "", fmt.Errorf("dstMAC: %w", err)
	}
	if ask.From == fromRouter {
		dmac = net.HardwareAddr(s.Router.MAC[:]).String()
	}
	for name, port := range map[string]int{"srcPort": p.SrcPort, "dstPort": p.DstPort} {
		if port < 0 || port > 65535 {
			return "", fmt.Errorf("%s: %d is no port", name, port)
		}
	}
	family, from, to, ttl := "", "nw_src", "nw_dst", "nw_ttl=64"
	if src.Is6() {
		family, from, to = "6", "ipv6_src", "ipv6_dst"
	}
	tcpFlags, icmpType, icmp6Type := "0x002", 8, 128 // SYN, echo requests
	if ask.Answer {
		tcpFlags, icmpType, icmp6Type = "0x012", 0, 129
	}
	what := ""
	switch p.Protocol {
	case "tcp", "udp":
		what = fmt.Sprintf("%s%s,%s_src=%d,%s_dst=%d", p.Protocol, family, p.Protocol, p.SrcPort, p.Protocol, p.DstPort)
		if p.Protocol == "tcp" {
			what += ",tcp_flags=" + tcpFlags
		}
	case "icmp":
		what = fmt.Sprintf("icmp,icmp_type=%d,icmp_code=0", icmpType)
		if src.Is6() {
			what = fmt.Sprintf("icmp6,icmpv6_type=%d,icmpv6_code=0", icmp6Type)
		}
	default:
		return "", fmt.Errorf("protocol: %q is none of tcp, udp, icmp", p.Protocol)
	}
	words := []string{in, what, "dl_src=" + smac, "dl_dst=" + dmac, from + "=" + src.String(), to + "=" + dst.String(), ttl, someHash}
	if ask.Answer {
		words = append(words, admittedBy(s, tenantOf(s, ask))...)
	}
	return strings.Join(words, ","), nil
}

// tenantOf returns the tenant of a packet's destination; "" if unknown here.
func tenantOf(s *ofnet.State, ask *model.TraceRequest) string {
	if ask.From == fromRouter && s.Router != nil {
		return s.Router.Tenant
	}
	if n := segmentOf(s, ask); n != nil {
		return n.Tenant
	}
	return ""
}

// admittedBy returns the fields of a connection in the tracker that the current rules have admitted: their generation.
func admittedBy(s *ofnet.State, tenant string) []string {
	if tenant == "" {
		return nil
	}
	if tracking := s.Tracking(tenant); tracking.On {
		return []string{fmt.Sprintf("ct_mark=%#x", tracking.Generation)}
	}
	return nil
}

func macOf(text string) (string, error) {
	if text == model.RouterMAC {
		return net.HardwareAddr(pipeline.RouterMAC[:]).String(), nil
	}
	mac, err := net.ParseMAC(text)
	if err == nil && len(mac) != 6 {
		err = fmt.Errorf("%q has no 6 bytes", text)
	}
	return mac.String(), err
}

// ingressMatch returns the match of the packet where it enters the switch.
func ingressMatch(s *ofnet.State, ask *model.TraceRequest) (string, error) {
	n := s.Segments.Get(ask.Network)
	from, _ := identity.ParseRef(ask.From)
	switch name := from.Name; from.Kind {
	case "endpoint":
		e := s.Endpoints.Get(name)
		if e == nil || e.Port == 0 {
			return "", fmt.Errorf("from: endpoint %q is not attached to the switch of this host", name)
		}
		return "in_port=" + strconv.FormatUint(uint64(e.Port), 10), nil
	case "host":
		h, own := s.Hosts.Get(name), s.Hosts.Get(s.Self)
		if h == nil || !h.VTEP.IsValid() || own == nil || s.Local.Tunnel == 0 || n == nil || n.Encap != ofnet.VXLAN {
			return "", fmt.Errorf("from: no tunnel leads here from host %q for network %q", name, ask.Network)
		}
		field := "tun"
		if h.VTEP.Is6() {
			field = "tun_ipv6"
		}
		return fmt.Sprintf("in_port=%d,tun_id=%d,%s_src=%s,%s_dst=%s", s.Local.Tunnel, n.Tag, field, h.VTEP, field, own.VTEP), nil
	case fromRouter:
		if s.Local.Uplink == 0 || s.Router == nil {
			return "", errors.New("from: this host has no BGP router, to which routers outside could hand packets")
		}
		return fmt.Sprintf("in_port=%d", s.Local.ActiveUplink()), nil
	case "uplink":
		if s.Local.Uplink == 0 || n == nil || n.Encap != ofnet.VLAN {
			return "", fmt.Errorf("from: network %q does not come by an uplink of this host", ask.Network)
		}
		return fmt.Sprintf("in_port=%d,dl_vlan=%d,dl_vlan_pcp=0", s.Local.ActiveUplink(), n.Tag), nil
	}
	return "", fmt.Errorf("from: %q is none of endpoint/ID, host/LABEL, uplink, router", ask.From)
}

// egressPorts returns the ports by which the packet leaves.
func egressPorts(s *ofnet.State, way *vswitchd.Trace) []model.TraceExit {
	var out []model.TraceExit
	for _, p := range way.Ports {
		x := model.TraceExit{Port: p}
		switch {
		case p == s.Local.Tunnel:
			x.To, x.Network = "host/"+tunnelPeer(s, way), networkOfTag(s, ofnet.VXLAN, lastTunnelID(way))
		case slices.Contains(s.Local.Uplinks(), p):
			tag, err := strconv.ParseUint(way.End["dl_vlan"], 0, 32)
			if x.To, x.Network = "uplink", networkOfTag(s, ofnet.VLAN, tag); err != nil && s.Router != nil {
				x.To = fromRouter + "/" + nextHop(s, way)
			}
		case p == s.Local.Host:
			x.To = "host"
		default:
			for e := range s.On(s.Self) {
				if p != 0 && e.Port == p {
					x.To = e.Key().String()
				}
			}
		}
		out = append(out, x)
	}
	return out
}

// tunnelPeer returns the label of the host to which the packet is tunneled.
func tunnelPeer(s *ofnet.State, way *vswitchd.Trace) string {
	for _, field := range []string{"tun_dst", "tun_ipv6_dst"} {
		a, err := netip.ParseAddr(way.End[field])
		if err != nil || a.IsUnspecified() {
			continue
		}
		for label, h := range s.Hosts.All() {
			if h.VTEP == a {
				return label
			}
		}
		return a.String()
	}
	return ""
}

// lastTunnelID returns the VNI that was set last on the packet.
func lastTunnelID(way *vswitchd.Trace) uint64 {
	for _, step := range slices.Backward(way.Steps) {
		for _, a := range step.Actions {
			value, ok := strings.CutPrefix(a, "set_field:")
			value, found := strings.CutSuffix(value, "->tun_id")
			if n, err := strconv.ParseUint(value, 0, 64); ok && found && err == nil {
				return n
			}
		}
	}
	return 0
}

// networkOfTag returns the network that has a tag.
func networkOfTag(s *ofnet.State, encap ofnet.Encap, tag uint64) string {
	for name, n := range s.Segments.All() {
		if n.Encap == encap && uint64(n.Tag) == tag {
			return name
		}
	}
	return ""
}

// packetOf parses a packet in Open vSwitch's notation; absent fields are as in was.
func packetOf(p vswitchd.Packet, was model.TracePacket) model.TracePacket {
	out := was
	text := func(to *string, names ...string) {
		for _, n := range names {
			if v, ok := p[n]; ok {
				*to = v
				return
			}
		}
	}
	port := func(to *int, names ...string) {
		for _, n := range names {
			if v, err := strconv.Atoi(p[n]); err == nil && v >= 0 && v <= 65535 {
				*to = v
				return
			}
		}
	}
	text(&out.SrcMAC, "dl_src")
	text(&out.DstMAC, "dl_dst")
	text(&out.Src, "nw_src", "ipv6_src")
	text(&out.Dst, "nw_dst", "ipv6_dst")
	if was.Protocol != "icmp" {
		port(&out.SrcPort, "tp_src")
		port(&out.DstPort, "tp_dst")
	}
	return out
}

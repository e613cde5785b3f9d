// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// Filter selects packets. The zero Filter selects all.
type Filter struct{ terms []term }

// term is one condition.
type term struct {
	not   bool
	side  string // "src", "dst" or "" for either
	layer gopacket.LayerType
	host  netip.Addr
	port  uint16
	is    string // "layer", "host" or "port"
}

func protocols() map[string]gopacket.LayerType {
	return map[string]gopacket.LayerType{"tcp": layers.LayerTypeTCP, "udp": layers.LayerTypeUDP, "icmp": layers.LayerTypeICMPv4,
		"icmp6": layers.LayerTypeICMPv6, "arp": layers.LayerTypeARP, "ip": layers.LayerTypeIPv4, "ip6": layers.LayerTypeIPv6}
}

// ParseFilter reads conditions as tcpdump writes them, joined by "and": tcp, udp, icmp, icmp6, arp, ip, ip6, [src|dst] host ADDRESS,
// [src|dst] port NUMBER, each optionally after "not".
func ParseFilter(text string) (Filter, error) {
	var f Filter
	words := strings.Fields(text)
	next := func() string {
		if len(words) == 0 {
			return ""
		}
		w := words[0]
		words = words[1:]
		return w
	}
	for len(words) > 0 {
		if len(f.terms) > 0 && next() != "and" {
			return Filter{}, fmt.Errorf("filter %q: want \"and\" between conditions", text)
		}
		t := term{is: "layer"}
		w := next()
		if w == "not" {
			t.not, w = true, next()
		}
		if w == "src" || w == "dst" {
			t.side, w = w, next()
		}
		var err error
		layer, known := protocols()[w]
		switch {
		case w == "host":
			t.is = w
			t.host, err = netip.ParseAddr(next())
		case w == "port":
			var n uint64
			n, err = strconv.ParseUint(next(), 10, 16)
			t.is, t.port = w, uint16(n)
		case known && t.side == "":
			t.layer = layer
		default:
			err = fmt.Errorf("%q is no condition", w)
		}
		if err != nil {
			return Filter{}, fmt.Errorf("filter %q: %w", text, err)
		}
		f.terms = append(f.terms, t)
	}
	return f, nil
}

// Matches reports whether an Ethernet frame meets all conditions. A frame that cannot be read meets none.
func (f Filter) Matches(frame []byte) bool {
	if len(f.terms) == 0 {
		return true
	}
	p := Decode(frame)
	for _, t := range f.terms {
		if t.met(p) == t.not {
			return false
		}
	}
	return true
}

// Decode reads an Ethernet frame.
func Decode(frame []byte) gopacket.Packet {
	return gopacket.NewPacket(frame, layers.LayerTypeEthernet, gopacket.DecodeOptions{Lazy: true, NoCopy: true})
}

func (t *term) met(p gopacket.Packet) bool {
	switch t.is {
	case "layer":
		return p.Layer(t.layer) != nil
	case "host":
		src, dst := addresses(p)
		return t.either(src == t.host, dst == t.host)
	}
	src, dst, ok := ports(p)
	return ok && t.either(src == t.port, dst == t.port)
}

func (t *term) either(src, dst bool) bool { return src && t.side != "dst" || dst && t.side != "src" }

// addresses returns those of IP, or the sender and target of ARP.
func addresses(p gopacket.Packet) (src, dst netip.Addr) {
	if a, ok := p.Layer(layers.LayerTypeARP).(*layers.ARP); ok {
		src, _ = netip.AddrFromSlice(a.SourceProtAddress)
		dst, _ = netip.AddrFromSlice(a.DstProtAddress)
		return src, dst
	}
	if n := p.NetworkLayer(); n != nil {
		from, to := n.NetworkFlow().Endpoints()
		src, _ = netip.AddrFromSlice(from.Raw())
		dst, _ = netip.AddrFromSlice(to.Raw())
	}
	return src, dst
}

func ports(p gopacket.Packet) (src, dst uint16, ok bool) {
	switch l := p.TransportLayer().(type) {
	case *layers.TCP:
		return uint16(l.SrcPort), uint16(l.DstPort), true
	case *layers.UDP:
		return uint16(l.SrcPort), uint16(l.DstPort), true
	}
	return 0, 0, false
}

// Line describes a frame in one line: addresses, protocol, ports, length.
func Line(frame []byte) string {
	p := Decode(frame)
	src, dst := addresses(p)
	what := "frame"
	if all := p.Layers(); len(all) > 0 {
		for _, l := range all {
			switch t := l.LayerType(); t {
			case gopacket.LayerTypePayload, gopacket.LayerTypeDecodeFailure, layers.LayerTypeICMPv6Echo:
			default:
				what = t.String()
			}
		}
	}
	if !src.IsValid() {
		return fmt.Sprintf("%s, %d bytes", what, len(frame))
	}
	from, to := src.String(), dst.String()
	if a, b, ok := ports(p); ok {
		from, to = netip.AddrPortFrom(src, a).String(), netip.AddrPortFrom(dst, b).String()
	}
	detail := ""
	switch l := p.TransportLayer().(type) {
	case *layers.TCP:
		for _, f := range []struct {
			set  bool
			name string
		}{{l.SYN, " SYN"}, {l.ACK, " ACK"}, {l.PSH, " PSH"}, {l.FIN, " FIN"}, {l.RST, " RST"}} {
			if f.set {
				detail += f.name
			}
		}
	}
	if l, ok := p.Layer(layers.LayerTypeICMPv4).(*layers.ICMPv4); ok {
		detail = " " + l.TypeCode.String()
	}
	if l, ok := p.Layer(layers.LayerTypeARP).(*layers.ARP); ok {
		switch l.Operation {
		case layers.ARPRequest:
			detail = " request"
		case layers.ARPReply:
			detail = " reply from " + net.HardwareAddr(l.SourceHwAddress).String()
		}
	}
	return fmt.Sprintf("%s > %s %s%s, %d bytes", from, to, what, detail, len(frame))
}

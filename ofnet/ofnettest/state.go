// SPDX-License-Identifier: Apache-2.0

// Package ofnettest makes States for tests: from a few readable lines, or large ones by number.
package ofnettest

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
)

// Parse reads a State from lines, one object each; empty lines and lines that begin with # are skipped:
//
//	self h1
//	ports tunnel=1000 uplink=1001 host=1002 backup=1003
//	direct yes
//	host h1 vtep=192.168.251.1 mac=02:aa:00:00:00:01 node=10.254.0.1 node6=fd0e::1
//	tenant blue id=1
//	network blue:vx id=101 vxlan=5001 bridge proxy net=10.1.0.0/24 first=10.1.0.1 last=10.1.0.9 gw=10.1.0.254 net6=fd01::/64 gw6=fd01::fe
//	group blue:web id=65537 rate=10000 burst=500 receive=20000 rburst=600 dscp=46
//	rule ssh group=blue:web in deny priority=10 peer=blue:db network=blue:vx from=10.1.0.0/24,fd01::/64 own=10.2.0.1 proto=tcp ports=22,80-88 openings
//	router own tenant=blue port=1100 mac=02:aa:00:00:01:01 ip=50.1.1.2
//	route 20.0.0.0/8 via=50.1.1.200 mac=0e:00:00:00:00:07
//	nexthops two id=1 hops=50.1.1.200@0e:00:00:00:00:07,50.1.1.201@0e:00:00:00:00:08
//	route 21.0.0.0/8 via=two
//	service shop:blue address=10.1.0.100 ports=tcp:80:8080,udp:53:53 backends=10.1.0.1,10.1.0.2 affinity
//	classpolicy ns:web in stage=namespace
//	classrule ns:web in accept place=1 subjects=5,6 peers=7 prefixes=10.9.0.0/16 ports=tcp:80,udp:53-60
//	classrule cluster out deny stage=admin priority=10 place=2 subjects=5 anyone
//	judgement blue sum=7
//	own 172.16.0.1,fd00::1
//	closed 10.254.0.2/32,fd0e::2/128 own=10.254.0.1 tcp=9999,10000-10001 udp=4789 open=9090 doors=10.254.0.3 door=9090
//	endpoint a1 network=blue:vx group=blue:web host=h1 port=1 mac=02:02:65:01:00:01 ip=10.1.0.1 ip6=fd01::1 class=5 isolated=in,out
func Parse(tb testing.TB, text string) *ofnet.State {
	tb.Helper()
	s := ofnet.NewState("")
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if err := add(s, words); err != nil {
			tb.Fatalf("ofnettest: %q: %v", strings.TrimSpace(line), err)
		}
	}
	return s
}

func add(s *ofnet.State, words []string) error {
	l := line{words: map[string]string{}}
	for _, w := range words[1:] {
		k, v, _ := strings.Cut(w, "=")
		l.words[k] = v
	}
	name := words[1]
	switch words[0] {
	case "self":
		s.Self = name
	case "closed":
		l.words["closed"] = name
		c := &ofnet.Closed{Machines: l.prefixes("closed"), Own: l.addrs("own")}
		for _, p := range l.ports("tcp") {
			c.Ports = append(c.Ports, ofnet.ProtocolPorts{Protocol: ofnet.ProtocolTCP, PortRange: p})
		}
		for _, p := range l.ports("udp") {
			c.Ports = append(c.Ports, ofnet.ProtocolPorts{Protocol: ofnet.ProtocolUDP, PortRange: p})
		}
		for _, p := range l.ports("open") {
			c.Open = append(c.Open, ofnet.ProtocolPorts{Protocol: ofnet.ProtocolTCP, PortRange: p})
		}
		for _, a := range l.addrs("doors") {
			c.Doors = append(c.Doors, netip.AddrPortFrom(a, uint16(l.number("door"))))
		}
		s.Closed = c
	case "direct":
		s.Direct = true
	case "ports":
		s.Local = ofnet.Ports{Tunnel: l.number("tunnel"), Uplink: l.number("uplink"), Host: l.number("host")}
		for _, p := range l.ports("backup") {
			s.Local.Backup = append(s.Local.Backup, uint32(p.First))
		}
		for _, p := range l.ports("channel") {
			s.Local.Channel = append(s.Local.Channel, uint32(p.First))
		}
	case "host":
		s.Hosts.Set(name, &ofnet.Host{Label: name, VTEP: l.addr("vtep"), UplinkMAC: l.mac("mac"), Node4: l.addr("node"), Node6: l.addr("node6")})
	case "tenant":
		s.Tenants.Set(name, &ofnet.Tenant{Name: name, ID: uint16(l.number("id"))})
	case "group":
		tenant, _, _ := strings.Cut(name, ":")
		s.Groups.Set(name, &ofnet.Group{Name: name, Tenant: tenant, ID: l.number("id"),
			Profile: ofnet.Profile{Rate: l.number("rate"), Burst: l.number("burst"),
				ReceiveRate: l.number("receive"), ReceiveBurst: l.number("rburst"), DSCP: uint8(l.number("dscp"))}})
	case "network":
		s.Segments.Set(name, l.segment(name))
	case "rule":
		SetRule(s, l.words["group"], l.rule(name))
	case "classpolicy", "classrule":
		addClassRule(s, words[0] == "classrule", name, &l)
	case "judgement":
		s.Judgements.Set(name, &ofnet.Judgement{Tenant: name, Sum: uint64(l.number("sum"))})
	case "own":
		l.words["own"] = name
		s.Own = l.addrs("own")
	case "router":
		s.Router = &ofnet.Router{Tenant: l.words["tenant"], Port: l.number("port"), MAC: l.mac("mac"), Addr: l.addr("ip"), Addr6: l.addr("ip6")}
	case "route":
		p, err := netip.ParsePrefix(name)
		if err != nil {
			return err
		}
		s.Routes.Set(name, &ofnet.Route{Prefix: p, Via: l.words["via"]})
		if _, listed := s.NextHops.Lookup(l.words["via"]); !listed {
			s.NextHops.Set(l.words["via"], &ofnet.NextHops{Name: l.words["via"], ID: uint32(s.NextHops.Len() + 1),
				Hops: []ofnet.NextHop{{Addr: l.addr("via"), MAC: l.mac("mac")}}})
		}
	case "nexthops":
		s.NextHops.Set(name, &ofnet.NextHops{Name: name, ID: l.number("id"), Hops: l.hops("hops")})
	case "service":
		s.SetService(l.service(name))
	case "endpoint":
		s.Endpoints.Set(name, &ofnet.Endpoint{ID: name, Segment: l.words["network"], Group: l.words["group"], Host: l.words["host"],
			Port: l.number("port"), MAC: l.mac("mac"), IP4: l.addr("ip"), IP6: l.addr("ip6"), Class: l.number("class"), Isolated: l.isolated()})
	default:
		return fmt.Errorf("%q is no object", words[0])
	}
	return l.err
}

// segment is the network that a line is about.
func (l *line) segment(name string) *ofnet.Segment {
	tenant, _, _ := strings.Cut(name, ":")
	n := &ofnet.Segment{Name: name, Tenant: tenant, ID: l.number("id"), Mode: ofnet.Bridge, ARP: ofnet.Proxy,
		Prefix4: l.prefix("net"), Gateway4: l.addr("gw"), Prefix6: l.prefix("net6"), Gateway6: l.addr("gw6"),
		First4: l.addr("first"), Last4: l.addr("last")}
	if l.has("vxlan") {
		n.Encap, n.Tag = ofnet.VXLAN, l.number("vxlan")
	} else {
		n.Encap, n.Tag = ofnet.VLAN, l.number("vlan")
	}
	if l.has("routing") {
		n.Mode = ofnet.Routing
	}
	if l.has("flood") {
		n.ARP = ofnet.Flood
	}
	return n
}

// rule is the rule that a line is about.
func (l *line) rule(name string) *ofnet.Rule {
	r := &ofnet.Rule{ID: RuleID(l.words["group"], name), Direction: ofnet.Out, Priority: uint8(l.number("priority")), PeerGroup: l.words["peer"],
		PeerNetwork: l.words["network"], Peers: l.prefixes("from"), Own: l.prefixes("own"), Protocol: l.protocol("proto"), Ports: l.ports("ports"),
		Openings: l.has("openings"), Deny: l.has("deny")}
	if l.has("in") {
		r.Direction = ofnet.In
	}
	return r
}

// RuleID names a rule of the policy of a group "tenant:group": here one with the group's own name.
func RuleID(group, rule string) identity.Rule {
	tenant, policy, _ := strings.Cut(group, ":")
	return identity.Rule{Policy: identity.Policy{Tenant: tenant, Name: policy}, Rule: rule}
}

// SetRule gives a group "tenant:group" a rule whose ID is RuleID's.
func SetRule(s *ofnet.State, group string, r *ofnet.Rule) {
	tenant, name, _ := strings.Cut(group, ":")
	s.Attach(identity.Attachment{Group: identity.Group{Tenant: tenant, Name: name}, Policy: r.ID.Name})
	s.Rules.Set(r.ID, r)
}

// CopyRules copies the rules of another State, and their groups.
func CopyRules(to, from *ofnet.State) { to.Rules, to.Attachments = from.Rules, from.Attachments }

// line is the key=value words of a line; it keeps the first error.
type line struct {
	words map[string]string
	err   error
}

func (l *line) has(k string) bool {
	_, ok := l.words[k]
	return ok
}

func (l *line) get(k string, parse func(string) error) {
	if v, ok := l.words[k]; ok && l.err == nil {
		l.err = parse(v)
	}
}

func (l *line) number(k string) (n uint32) {
	l.get(k, func(v string) error {
		x, err := strconv.ParseUint(v, 0, 32)
		n = uint32(x)
		return err
	})
	return n
}

func (l *line) addr(k string) (a netip.Addr) {
	l.get(k, func(v string) (err error) {
		a, err = netip.ParseAddr(v)
		return err
	})
	return a
}

func (l *line) prefix(k string) (p netip.Prefix) {
	l.get(k, func(v string) (err error) {
		p, err = netip.ParsePrefix(v)
		return err
	})
	return p
}

func (l *line) prefixes(k string) (out []netip.Prefix) {
	l.get(k, func(v string) error {
		for word := range strings.SplitSeq(v, ",") {
			if !strings.Contains(word, "/") {
				a, err := netip.ParseAddr(word)
				if err != nil {
					return err
				}
				out = append(out, netip.PrefixFrom(a, a.BitLen()))
				continue
			}
			p, err := netip.ParsePrefix(word)
			if err != nil {
				return err
			}
			out = append(out, p)
		}
		return nil
	})
	return out
}

func (l *line) protocol(k string) (n uint8) {
	l.get(k, func(v string) error {
		if known, ok := map[string]uint8{"icmp": ofnet.ProtocolICMP, "tcp": ofnet.ProtocolTCP, "udp": ofnet.ProtocolUDP, "sctp": ofnet.ProtocolSCTP}[v]; ok {
			n = known
			return nil
		}
		x, err := strconv.ParseUint(v, 0, 8)
		n = uint8(x)
		return err
	})
	return n
}

func (l *line) ports(k string) (out []ofnet.PortRange) {
	l.get(k, func(v string) error {
		for word := range strings.SplitSeq(v, ",") {
			first, last, isRange := strings.Cut(word, "-")
			if !isRange {
				last = first
			}
			a, err := strconv.ParseUint(first, 10, 16)
			if err != nil {
				return err
			}
			b, err := strconv.ParseUint(last, 10, 16)
			if err != nil {
				return err
			}
			out = append(out, ofnet.PortRange{First: uint16(a), Last: uint16(b)})
		}
		return nil
	})
	return out
}

// hops reads ADDRESS@MAC,..., where "@MAC" is optional.
func (l *line) hops(k string) (out []ofnet.NextHop) {
	l.get(k, func(v string) error {
		for word := range strings.SplitSeq(v, ",") {
			part := line{words: map[string]string{}}
			for i, text := range strings.SplitN(word, "@", 2) {
				part.words[[]string{"addr", "mac"}[i]] = text
			}
			out = append(out, ofnet.NextHop{Addr: part.addr("addr"), MAC: part.mac("mac")})
			if part.err != nil {
				return part.err
			}
		}
		return nil
	})
	return out
}

func (l *line) addrs(k string) (out []netip.Addr) {
	for _, p := range l.prefixes(k) {
		out = append(out, p.Addr())
	}
	return out
}

func (l *line) mac(k string) (m ofnet.MAC) {
	l.get(k, func(v string) error {
		_, err := fmt.Sscanf(v, "%02x:%02x:%02x:%02x:%02x:%02x", &m[0], &m[1], &m[2], &m[3], &m[4], &m[5])
		return err
	})
	return m
}

// Many makes a State of one tenant with VXLAN networks of 200 endpoints each, with the given numbers of local and remote ones; every
// network has its share of both.
func Many(locals, remotes int) *ofnet.State {
	const size = 200
	s := ofnet.NewState("h0")
	s.Local = ofnet.Ports{Tunnel: 1000, Uplink: 1001, Host: 1002}
	const hosts = 20
	for h := range hosts {
		label := fmt.Sprintf("h%d", h)
		s.Hosts.Set(label, &ofnet.Host{Label: label, VTEP: netip.AddrFrom4([4]byte{192, 168, 251, byte(h + 1)}),
			UplinkMAC: ofnet.MAC{2, 0xaa, 0, 0, 0, byte(h + 1)}})
	}
	s.Tenants.Set("t", &ofnet.Tenant{Name: "t", ID: 1})
	s.Groups.Set("t:g", &ofnet.Group{Name: "t:g", Tenant: "t", ID: 7})
	total := locals + remotes
	for n := range (total + size - 1) / size {
		name := fmt.Sprintf("t:n%d", n)
		base := [4]byte{10, byte(n >> 8), byte(n), 0}
		s.Segments.Set(name, &ofnet.Segment{Name: name, Tenant: "t", ID: uint32(100 + n), Encap: ofnet.VXLAN, Tag: uint32(5000 + n),
			Mode: ofnet.Bridge, ARP: ofnet.Proxy, Prefix4: netip.PrefixFrom(netip.AddrFrom4(base), 24),
			Gateway4: netip.AddrFrom4([4]byte{10, byte(n >> 8), byte(n), 254})})
	}
	for i := range total {
		e := Endpoint(i, size)
		e.Host = "h0"
		if locals*(i+1)/total == locals*i/total { // spread the local ones evenly
			e.Host = fmt.Sprintf("h%d", 1+i%(hosts-1))
			e.Port = 0
		}
		s.Endpoints.Set(e.ID, e)
	}
	return s
}

// Endpoint returns endpoint number i of those that fill networks t:n0, t:n1 and so on with size each.
func Endpoint(i, size int) *ofnet.Endpoint {
	n, last := i/size, i%size+1
	return &ofnet.Endpoint{ID: fmt.Sprintf("t:n%d:e%d", n, i), Segment: fmt.Sprintf("t:n%d", n), Group: "t:g", Host: "h0",
		Port: uint32(2000 + i), MAC: ofnet.MAC{2, 2, byte(n >> 8), byte(n), byte(last >> 8), byte(last)},
		IP4: netip.AddrFrom4([4]byte{10, byte(n >> 8), byte(n), byte(last)})}
}

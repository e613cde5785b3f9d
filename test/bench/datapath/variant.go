// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// rulesMade is how many rules the group has in the variant with rules.
const rulesMade = 1000

// variant is what a switch is programmed with.
type variant struct {
	name  string
	flows func(c *course, h *host) flow.Set
	// observed: connections are observed meanwhile, as an agent does it.
	observed bool
}

// variants are what is measured in turn, the bare switch first: all others are compared with it.
func variants() []variant {
	return []variant{
		{name: "bare", flows: func(c *course, h *host) flow.Set { return c.bare(h) }},
		{name: "no rules", flows: func(c *course, h *host) flow.Set { return pipeline.Default().CompileAll(c.state(h, 0)) }},
		{name: fmt.Sprintf("%d rules", rulesMade), flows: ruled},
		{name: "observed", flows: ruled, observed: true},
	}
}

func ruled(c *course, h *host) flow.Set { return pipeline.Default().CompileAll(c.state(h, rulesMade)) }

// vni is the tunnel's network number.
const vni = 5001

// bare is a switch without policy, tenants or checks: one NORMAL flow, and between two hosts, where NORMAL has no place to
// choose a tunnel's end, one flow into the tunnel and one out of it.
func (c *course) bare(h *host) (out flow.Set) {
	if c.from.host == c.to.host {
		out.Add(flow.New(0, 1, flow.NewMatch(), flow.Do(flow.Output(flow.PortNormal))))
		return out
	}
	other := c.to.host
	if h == other {
		other = c.from.host
	}
	out.Add(flow.New(0, 1, flow.NewMatch(flow.Eq(flow.InPort, portContainer)),
		flow.Do(flow.SetField(flow.TunID, vni), flow.SetAddr(flow.TunDst, other.vtep()), flow.Output(portTunnel))))
	out.Add(flow.New(0, 1, flow.NewMatch(flow.Eq(flow.InPort, portTunnel)), flow.Do(flow.Output(portContainer))))
	return out
}

// state returns the cluster as one host's agent sees it, with a number of rules on the containers' group.
func (c *course) state(h *host, rules int) *ofnet.State {
	s := ofnet.NewState(h.label)
	s.Missing = h.Lacks()
	s.Local = ofnet.Ports{Tunnel: portTunnel}
	for _, each := range c.hosts() {
		s.Hosts.Set(each.label, &ofnet.Host{Label: each.label, VTEP: each.vtep()})
	}
	s.Tenants.Set("t", &ofnet.Tenant{Name: "t", ID: 1})
	s.Groups.Set("t:g", &ofnet.Group{Name: "t:g", Tenant: "t", ID: 7})
	for i := range 4 { // others that rules name
		name := fmt.Sprintf("g%d:t", i)
		s.Groups.Set(name, &ofnet.Group{Name: name, Tenant: "t", ID: uint32(8 + i)})
	}
	s.Segments.Set("t:n", &ofnet.Segment{Name: "t:n", Tenant: "t", ID: 101, Encap: ofnet.VXLAN, Tag: vni, Mode: ofnet.Bridge, ARP: ofnet.Proxy,
		Prefix4: netip.MustParsePrefix("10.66.0.0/24"), Gateway4: netip.MustParseAddr("10.66.0.254")})
	for _, each := range []*container{c.from, c.to} {
		e := each.at
		if each.host != h {
			e.Port = 0
		}
		s.Endpoints.Set(e.ID, &e)
	}
	for i := range rules {
		ofnettest.SetRule(s, "t:g", rule(i))
	}
	return s
}

// rule makes one of many: the first deny everything in and admit what is measured, the others are about ports that no one
// uses, by group, by prefix and by address, in and out.
func rule(i int) *ofnet.Rule {
	r := &ofnet.Rule{ID: ofnettest.RuleID("t:g", fmt.Sprintf("r%d", i)), Direction: ofnet.In}
	switch i {
	case 0:
		r.Priority, r.Deny = 1, true
		return r
	case 1, 2:
		r.Priority, r.PeerGroup, r.Protocol, r.Ports = 10, "t:g", ofnet.ProtocolTCP, []ofnet.PortRange{{First: portSink, Last: portBrief}, {First: portCount, Last: portCount}}
		if i == 2 {
			r.Protocol, r.Ports = ofnet.ProtocolUDP, []ofnet.PortRange{{First: portEcho, Last: portCount}}
		}
		return r
	}
	port := uint16(20000 + i)
	r.Priority, r.Protocol, r.Ports, r.Deny = uint8(2+i%90), ofnet.ProtocolTCP, []ofnet.PortRange{{First: port, Last: port}}, i%2 == 0
	if i/4%2 == 1 {
		r.Protocol = ofnet.ProtocolUDP
	}
	if i%3 == 0 {
		r.Direction = ofnet.Out
	}
	switch i % 4 {
	case 0:
		r.Peers = []netip.Prefix{netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 66, byte(i % 250), 0}), 24)}
	case 1, 2:
		r.PeerGroup = fmt.Sprintf("g%d:t", i%4)
	default:
		r.Peers = []netip.Prefix{netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 66, 0, byte(100 + i%100)}), 32)}
	}
	return r
}

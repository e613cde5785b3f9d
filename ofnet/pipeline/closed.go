// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// closed drops packets with which an endpoint opens connections to the cluster's machines, after the decision about their path and for each
// path: the host's packet filter sees only one of the paths, and other programs may have emptied it. Endpoints with the same addresses, in
// the tenant, are not affected: the router has forwarded to them before.
type closed struct{}

func (closed) Name() string { return "closed" }

func (closed) Tables() []flow.Table {
	return []flow.Table{
		{ID: tClosed, Name: "closed", Miss: flow.Do(flow.GotoTable(tPolicyOut)), Asks: "may endpoints open that, outside of their tenant"},
		{ID: tShut, Name: "shut", Asks: "nothing: here ends what endpoints open to the cluster's machines", Lost: "it is closed to containers: a machine of the cluster, a port of its control plane, or what --protected-prefixes says"},
	}
}

func (closed) Reads() []*Input {
	return append(slices.Clone(readsSwitch), setting(func(a, b *ofnet.State) bool { return a.Closed.Equal(b.Closed) },
		func(s *ofnet.State, to owners) { to(ofnet.Key{Kind: ofnet.KindSwitch, Name: s.Self}) }))
}

// The order of the flows in table closed, the last first.
const (
	closedAll    = 10 // what is not TCP, to a closed address
	closedAnswer = 20 // TCP that opens no connection, answers, and pings
	closedOpens  = 30
	closedOpen   = 40 // ports that are open nevertheless
)

func (closed) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	c := s.Closed
	if owner.Kind != ofnet.KindSwitch || c == nil {
		return
	}
	add := func(priority uint16, to flow.TableID, terms ...flow.Term) {
		out.Add(flow.New(tClosed, priority, flow.NewMatch(append(terms, has(bitEndpoint))...), flow.Do(flow.GotoTable(to))))
	}
	const syn, ack = 0x02, 0x10
	opens := flow.EqMask(flow.TCPFlags, syn, syn|ack)
	for _, f := range []struct {
		ip, tcp, ping flow.Term
		dst           flow.Field
		is4           bool
	}{{flow.IP(), flow.TCP(), flow.ICMP(), flow.IPDst, true}, {flow.IPv6(), flow.TCP6(), flow.ICMP6(), flow.IPv6Dst, false}} {
		add(closedAnswer, tPolicyOut, f.tcp)
		add(closedAnswer, tPolicyOut, f.ping)
		add(closedAnswer, tPolicyOut, f.ip, flow.State(flow.CTRpl|flow.CTTracked, 0))
		ports := func(priority uint16, to flow.TableID, list []ofnet.ProtocolPorts) {
			for _, p := range list {
				terms := []flow.Term{f.ip, flow.Eq(flow.IPProto, uint64(p.Protocol))}
				if p.Protocol == ofnet.ProtocolTCP && to == tShut {
					terms = append(terms, opens)
				}
				for value, mask := range masks(p.PortRange) {
					add(priority, to, append(slices.Clip(terms), flow.EqMask(portOf(p.Protocol), uint64(value), uint64(mask)))...)
				}
			}
		}
		ports(closedOpen, tPolicyOut, c.Open)
		ports(closedOpens, tShut, c.Ports)
		machine := func(p netip.Prefix, terms ...flow.Term) {
			if p.Addr().Is4() == f.is4 {
				to := append(terms, flow.EqPrefix(f.dst, p.Masked()))
				add(closedOpens, tShut, append(slices.Clip(to), f.tcp, opens)...)
				add(closedAll, tShut, append(slices.Clip(to), f.ip)...)
			}
		}
		for _, p := range c.Machines {
			machine(p)
		}
		for _, a := range c.Own {
			if s.Local.Uplink != 0 {
				machine(netip.PrefixFrom(a, a.BitLen()), flow.Eq(regOut, uint64(s.Local.Uplink)))
			}
		}
		for _, d := range c.Doors {
			if d.Addr().Is4() == f.is4 {
				add(closedOpens, tShut, f.tcp, opens, flow.EqAddr(f.dst, d.Addr()), flow.Eq(flow.TCPDst, uint64(d.Port())))
			}
		}
	}
}

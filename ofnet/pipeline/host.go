package pipeline

import (
	"net/netip"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// HostMAC is the Ethernet address of the host's port contivh0.
var HostMAC = ofnet.MAC{0x02, 0x02, 0xac, 0x13, 0xff, 0xfe}

// HostAddr is the host's own address in the private subnet between it and its endpoints, a /16: the last but one.
func HostAddr(private netip.Prefix) netip.Addr { return privateAddr(private, 0xfffe) }

// PrivateAddr is the address in the private subnet under which the host knows the endpoint behind an OpenFlow port.
func PrivateAddr(private netip.Prefix, port uint32) netip.Addr { return privateAddr(private, port) }

func privateAddr(private netip.Prefix, low uint32) netip.Addr {
	b := private.Addr().As4()
	return netip.AddrFrom4([4]byte{b[0], b[1], byte(low >> 8), byte(low)})
}

// hostAccess connects endpoints with their host, and by its address translation with the world. Each local endpoint
// has a private address made from its port, so that equal addresses of two tenants stay apart.
type hostAccess struct{}

func (hostAccess) Name() string { return "host" }

func (hostAccess) Tables() []flow.Table {
	return []flow.Table{{ID: tHostIn, Name: "hostin"}, {ID: tHostOut, Name: "hostout"}}
}

func (hostAccess) Flows(s *ofnet.State, owner ofnet.Key) (out flow.Set) {
	if s.Local.Host == 0 || !s.Private.Addr().Is4() {
		return out
	}
	switch owner.Kind {
	case ofnet.KindSwitch:
		out.Add(flow.New(tHostIn, exact, flow.NewMatch(flow.Eq(flow.ARPOp, 1), flow.EqPrefix(flow.ARPTPA, s.Private)),
			answer(RouterMAC)))
		hostAddress(&out, s)
	case ofnet.KindTenant:
		if t := s.Tenants[owner.Name]; t != nil {
			out.Add(flow.New(tRoute, routePriority(0, rankYields), flow.NewMatch(flow.IP(), inTenant(t), has(bitEndpoint)),
				flow.Do(flow.DecTTL(), load(regOut, s.Local.Host), flow.GotoTable(tPolicyOut))))
		}
	case ofnet.KindSegment:
		if n, _, ok := segment(s, owner); ok {
			namesAsked(&out, s, n)
		}
	case ofnet.KindEndpoint:
		m, ok := here(s, owner)
		if !ok || !OwnsGateway(m.net) || !m.IP4.Is4() {
			return out
		}
		private := PrivateAddr(s.Private, m.Port)
		steps := append([]flow.Action{flow.SetAddr(flow.IPDst, m.IP4)}, enter(bitHost, m.net, m.tenant)...)
		out.Add(flow.New(tHostIn, exact, flow.NewMatch(flow.EqAddr(flow.IPDst, private)),
			flow.Do(append(steps, on(bitRouted), flow.GotoTable(tUnhairpin))...)))
		out.Add(flow.New(tHostOut, exact, flow.NewMatch(flow.IP(), flow.Eq(flow.InPort, uint64(m.Port))),
			flow.Do(flow.SetAddr(flow.IPSrc, private), flow.SetMAC(flow.EthDst, HostMAC), flow.SetMAC(flow.EthSrc, RouterMAC),
				flow.Output(s.Local.Host))))
		namesAnswered(&out, s, m)
	}
	return out
}

// hostAddress: what the host asked an endpoint for by its private address is answered to the host's own. Endpoints
// open nothing towards that address, and do not meet one another's private addresses by way of the host.
func hostAddress(out *flow.Set, s *ofnet.State) {
	own := flow.EqAddr(flow.IPDst, HostAddr(s.Private))
	const syn, ack = 0x02, 0x10
	add := func(priority uint16, do flow.Actions, terms ...flow.Term) {
		out.Add(flow.New(tRoute, priority, flow.NewMatch(append(terms, has(bitEndpoint))...), do))
	}
	host := routePriority(32, rankYields) - 1 // an endpoint that has the very address stays above
	add(host+1, flow.Actions{}, own, flow.Eq(flow.ICMPType, 8))
	add(host+1, flow.Actions{}, own, flow.TCP(), flow.EqMask(flow.TCPFlags, syn, syn|ack))
	add(host, flow.Do(flow.DecTTL(), load(regOut, s.Local.Host), flow.GotoTable(tPolicyOut)), own, flow.IP())
	add(routePriority(s.Private.Bits(), rankOurs), flow.Actions{}, flow.IP(), flow.EqPrefix(flow.IPDst, s.Private))
}

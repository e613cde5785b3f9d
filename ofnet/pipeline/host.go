package pipeline

import (
	"net/netip"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// HostMAC is the Ethernet address of the host's port contivh0.
var HostMAC = ofnet.MAC{0x02, 0x02, 0xac, 0x13, 0xff, 0xfe}

// HostPrefix is the private subnet between the host and its endpoints; the host's own address in it is HostAddr.
var (
	HostPrefix = netip.MustParsePrefix("172.19.0.0/16")
	HostAddr   = netip.MustParseAddr("172.19.255.254")
)

// PrivateAddr is the address under which the host knows the endpoint behind an OpenFlow port.
func PrivateAddr(port uint32) netip.Addr {
	return netip.AddrFrom4([4]byte{172, 19, byte(port >> 8), byte(port)})
}

// hostAccess connects endpoints with their host, and by its address translation with the world. Each local endpoint
// has a private address made from its port, so that equal addresses of two tenants stay apart.
type hostAccess struct{}

func (hostAccess) Name() string { return "host" }

func (hostAccess) Tables() []flow.Table {
	return []flow.Table{{ID: tHostIn, Name: "hostin"}, {ID: tHostOut, Name: "hostout"}}
}

func (hostAccess) Flows(s *ofnet.State, owner ofnet.Key) (out flow.Set) {
	if s.Local.Host == 0 {
		return out
	}
	switch owner.Kind {
	case ofnet.KindSwitch:
		out.Add(flow.New(tHostIn, exact, flow.NewMatch(flow.Eq(flow.ARPOp, 1), flow.EqPrefix(flow.ARPTPA, HostPrefix)),
			answer(RouterMAC)))
	case ofnet.KindTenant:
		if t := s.Tenants[owner.Name]; t != nil {
			out.Add(flow.New(tRoute, routePriority(0, rankYields), flow.NewMatch(flow.IP(), inTenant(t), has(bitEndpoint)),
				flow.Do(flow.DecTTL(), load(regOut, s.Local.Host), flow.GotoTable(tPolicyOut))))
		}
	case ofnet.KindEndpoint:
		m, ok := here(s, owner)
		if !ok || !OwnsGateway(m.net) || !m.IP4.Is4() {
			return out
		}
		private := PrivateAddr(m.Port)
		steps := append([]flow.Action{flow.SetAddr(flow.IPDst, m.IP4)}, enter(bitHost, m.net, m.tenant)...)
		out.Add(flow.New(tHostIn, exact, flow.NewMatch(flow.EqAddr(flow.IPDst, private)),
			flow.Do(append(steps, on(bitRouted), flow.GotoTable(tUnhairpin))...)))
		out.Add(flow.New(tHostOut, exact, flow.NewMatch(flow.IP(), flow.Eq(flow.InPort, uint64(m.Port))),
			flow.Do(flow.SetAddr(flow.IPSrc, private), flow.SetMAC(flow.EthDst, HostMAC), flow.SetMAC(flow.EthSrc, RouterMAC),
				flow.Output(s.Local.Host))))
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// HostMAC is the Ethernet address of the host's port contivh0.
var HostMAC = ofnet.MAC{0x02, 0x02, 0xac, 0x13, 0xff, 0xfe}

// HostAddr is the host's own address in the private subnet between the host and its endpoints: the last but one.
func HostAddr(private netip.Prefix) netip.Addr { return privateAddr(private, 0xfffe) }

// PrivateAddr is the address in the private subnet under which the host knows the endpoint behind an OpenFlow port.
func PrivateAddr(private netip.Prefix, port uint32) netip.Addr { return privateAddr(private, port) }

// Private6 is the private subnet in IPv6, a /112: the unique local prefix fd63:6f6e:7469:76::/96 (RFC 4193) with the
// addresses of the one in IPv4, a /16, at its end.
func Private6(private netip.Prefix) netip.Prefix {
	a := [16]byte{0xfd, 0x63, 0x6f, 0x6e, 0x74, 0x69, 0x00, 0x76}
	b := private.Addr().As4()
	copy(a[12:], b[:])
	return netip.PrefixFrom(netip.AddrFrom16(a), 96+private.Bits()).Masked()
}

// privateAddr replaces the last two bytes of the subnet.
func privateAddr(private netip.Prefix, low uint32) netip.Addr {
	b := private.Addr().AsSlice()
	b[len(b)-2], b[len(b)-1] = byte(low>>8), byte(low)
	a, _ := netip.AddrFromSlice(b)
	return a
}

// hostAccess connects endpoints with their host and, by its address translation, with the outside. Each local endpoint has private
// addresses derived from its port, so that equal addresses of two tenants stay separate.
type hostAccess struct{}

func (hostAccess) Name() string { return "host" }

func (hostAccess) Tables() []flow.Table {
	return []flow.Table{
		{ID: tHostIn, Name: "hostin", Asks: "which endpoint has this private address"},
		{ID: tHostOut, Name: "hostout", Asks: "translate to the private address", Lost: "the container has no address at the host"},
	}
}

// hostFamily holds the differences between IPv4 and IPv6 on the path to the host.
type hostFamily struct {
	ip       flow.Term
	src, dst flow.Field
	subnet   netip.Prefix
	echo     flow.Term
	tcp      flow.Term
}

func hostFamilies(private netip.Prefix) [2]hostFamily {
	return [2]hostFamily{
		{flow.IP(), flow.IPSrc, flow.IPDst, private, flow.Eq(flow.ICMPType, 8), flow.TCP()},
		{flow.IPv6(), flow.IPv6Src, flow.IPv6Dst, Private6(private), flow.Eq(flow.ICMPv6Type, 128), flow.TCP6()},
	}
}

// asked matches queries for an address of the subnet.
func (f *hostFamily) asked(s *ofnet.State) flow.Match {
	if f.subnet.Addr().Is4() {
		return flow.NewMatch(flow.Eq(flow.ARPOp, 1), flow.EqPrefix(flow.ARPTPA, f.subnet))
	}
	return flow.NewMatch(append(solicits(s), flow.EqPrefix(flow.NDTarget, f.subnet))...)
}

func (hostAccess) Reads() []*Input {
	return append(slices.Concat(readsSwitch, readsMember, readsSegment), readsTenant,
		setting(func(a, b *ofnet.State) bool { return a.Private == b.Private }, everything))
}

func (hostAccess) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if s.Local.Host == 0 || !s.Private.Addr().Is4() {
		return
	}
	for _, f := range hostFamilies(s.Private) {
		switch owner.Kind {
		case ofnet.KindSwitch:
			out.Add(flow.New(tHostIn, exact, f.asked(s), answer(RouterMAC)))
			if !f.subnet.Addr().Is4() && asksBack(s) { // the host's answer is not for the endpoint that has the address
				out.Add(flow.New(tHostIn, exact+10, flow.NewMatch(flow.Eq(flow.ICMPv6Type, ndAdvertisement), flow.EqPrefix(flow.IPv6Dst, f.subnet)), answer(RouterMAC)))
			}
			f.address(out, s)
		case ofnet.KindTenant:
			if t := s.Tenants.Get(owner.Name); t != nil {
				out.Add(flow.New(tRoute, routePriority(0, rankLow), flow.NewMatch(f.ip, inTenant(t), has(bitEndpoint)),
					flow.Do(flow.DecTTL(), load(regOut, s.Local.Host), flow.GotoTable(tClosed))))
			}
		case ofnet.KindEndpoint:
			m, ok := here(s, owner)
			if own := ownAddress(m, f.subnet); ok && OwnsGateway(m.net) && own.IsValid() {
				f.endpoint(out, s, m, own)
				f.namesAnswered(out, m, own)
			}
		case ofnet.KindSegment:
			if n, _, ok := segment(s, owner); ok {
				f.namesAsked(out, n)
			}
		}
	}
	if owner.Kind == ofnet.KindSwitch {
		// Link-local packets are not for the host (RFC 4291 section 2.5.6, 2.7).
		for _, p := range []string{"fe80::/10", "ff00::/8"} {
			own := netip.MustParsePrefix(p)
			out.Add(flow.New(tRoute, routePriority(own.Bits(), rankOurs), flow.NewMatch(flow.IPv6(), flow.EqPrefix(flow.IPv6Dst, own), has(bitEndpoint)), flow.Actions{}))
		}
	}
}

// ownAddress returns m's address in the family of like; invalid if it has none.
func ownAddress(m member, like netip.Prefix) netip.Addr {
	switch {
	case m.Endpoint == nil:
		return netip.Addr{}
	case like.Addr().Is4():
		return m.IP4
	}
	return m.IP6
}

// endpoint translates between an endpoint's own address and its private one.
func (f *hostFamily) endpoint(out *flow.Set, s *ofnet.State, m member, own netip.Addr) {
	private := privateAddr(f.subnet, m.Port)
	steps := append([]flow.Action{flow.SetAddr(f.dst, own)}, enter(bitHost, m.net, m.tenant)...)
	out.Add(flow.New(tHostIn, exact, flow.NewMatch(flow.EqAddr(f.dst, private)),
		flow.Do(append(steps, on(bitRouted), flow.GotoTable(tUnhairpin))...)))
	out.Add(flow.New(tHostOut, exact, flow.NewMatch(f.ip, flow.Eq(flow.InPort, uint64(m.Port))),
		flow.Do(flow.SetAddr(f.src, private), flow.SetMAC(flow.EthDst, HostMAC), flow.SetMAC(flow.EthSrc, RouterMAC),
			flow.Output(s.Local.Host))))
}

// address: answers to requests that the host sent to an endpoint's private address go to the host's own. Endpoints open no connection to
// that address, and do not reach one another's private addresses by way of the host.
func (f *hostFamily) address(out *flow.Set, s *ofnet.State) {
	host := HostAddr(f.subnet)
	own := flow.EqAddr(f.dst, host)
	const syn, ack = 0x02, 0x10
	add := func(priority uint16, do flow.Actions, terms ...flow.Term) {
		out.Add(flow.New(tRoute, priority, flow.NewMatch(append(terms, has(bitEndpoint))...), do))
	}
	at := routePriority(host.BitLen(), rankLow) - 1 // below an endpoint that has the same address
	add(at+1, flow.Actions{}, own, f.echo)
	add(at+1, flow.Actions{}, own, f.tcp, flow.EqMask(flow.TCPFlags, syn, syn|ack))
	add(at, flow.Do(flow.DecTTL(), load(regOut, s.Local.Host), flow.GotoTable(tPolicyOut)), own, f.ip)
	add(routePriority(f.subnet.Bits(), rankOurs), flow.Actions{}, f.ip, flow.EqPrefix(f.dst, f.subnet))
}

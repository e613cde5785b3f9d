// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// NamesPort is the TCP port at HostAddr at which the host's agent answers DNS queries.
const NamesPort = 9053

// namesAsked directs DNS queries over TCP to the agent if they are addressed to a gateway that is the switch itself: to the host's own
// address; table hostout then sets the private address of the requester. Nothing else would answer there. Rules are not applied, as with
// queries over UDP. Without an agent the host refuses the connection.
func (f *hostFamily) namesAsked(out *flow.Set, n *ofnet.Segment) {
	gateway := f.gateway(n)
	if !OwnsGateway(n) || !gateway.IsValid() {
		return
	}
	out.Add(flow.New(tLocal, exact, flow.NewMatch(f.tcp, inNetwork(n), has(bitEndpoint), flow.EqAddr(f.dst, gateway),
		flow.Eq(flow.TCPDst, dnsPort)), flow.Do(flow.SetAddr(f.dst, HostAddr(f.subnet)), flow.SetField(flow.TCPDst, NamesPort),
		flow.GotoTable(tHostOut))))
}

// namesAnswered directs the answers back to the endpoint's own address, as if from the gateway.
func (f *hostFamily) namesAnswered(out *flow.Set, m member, own netip.Addr) {
	gateway := f.gateway(m.net)
	if !gateway.IsValid() {
		return
	}
	out.Add(flow.New(tHostIn, exact+10, flow.NewMatch(f.tcp, flow.EqAddr(f.src, HostAddr(f.subnet)),
		flow.EqAddr(f.dst, privateAddr(f.subnet, m.Port)), flow.Eq(flow.TCPSrc, NamesPort)),
		flow.Do(flow.SetAddr(f.src, gateway), flow.SetAddr(f.dst, own), flow.SetField(flow.TCPSrc, dnsPort),
			flow.SetMAC(flow.EthSrc, RouterMAC), flow.SetMAC(flow.EthDst, m.MAC), load(regOut, m.Port), flow.GotoTable(tOutput))))
}

// gateway returns the network's gateway of the family; invalid if it has none.
func (f *hostFamily) gateway(n *ofnet.Segment) netip.Addr {
	if f.subnet.Addr().Is4() {
		return n.Gateway4
	}
	return n.Gateway6
}

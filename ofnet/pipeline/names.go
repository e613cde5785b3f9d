package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// NamesPort is the TCP port at HostAddr at which the host's agent answers questions about names.
const NamesPort = 9053

// namesAsked leads questions over TCP to the agent, when they are asked of a gateway that is the switch itself: to the
// host's own address, and hostout gives them the private address of who asks. Nobody else would answer there. Rules are not
// asked, as with questions over UDP. Without an agent the host refuses the connection.
func namesAsked(out *flow.Set, s *ofnet.State, n *ofnet.Segment) {
	if !OwnsGateway(n) || !n.Gateway4.Is4() {
		return
	}
	out.Add(flow.New(tLocal, exact, flow.NewMatch(flow.TCP(), inNetwork(n), has(bitEndpoint), flow.EqAddr(flow.IPDst, n.Gateway4),
		flow.Eq(flow.TCPDst, dnsPort)), flow.Do(flow.SetAddr(flow.IPDst, HostAddr(s.Private)), flow.SetField(flow.TCPDst, NamesPort),
		flow.GotoTable(tHostOut))))
}

// namesAnswered leads the answers back, as from the gateway.
func namesAnswered(out *flow.Set, s *ofnet.State, m member) {
	if !m.net.Gateway4.Is4() {
		return
	}
	out.Add(flow.New(tHostIn, exact+10, flow.NewMatch(flow.TCP(), flow.EqAddr(flow.IPSrc, HostAddr(s.Private)),
		flow.EqAddr(flow.IPDst, PrivateAddr(s.Private, m.Port)), flow.Eq(flow.TCPSrc, NamesPort)),
		flow.Do(flow.SetAddr(flow.IPSrc, m.net.Gateway4), flow.SetAddr(flow.IPDst, m.IP4), flow.SetField(flow.TCPSrc, dnsPort),
			flow.SetMAC(flow.EthSrc, RouterMAC), flow.SetMAC(flow.EthDst, m.MAC), flow.Output(m.Port))))
}

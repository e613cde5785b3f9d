// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/bgp"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// NextHop asks the kernel for the next hop of a packet that the switch passes to the host.
type NextHop func(src, dst netip.Addr) (link.NextHop, error)

// Closed reports whether the host refuses a container's connection to an address: at the host itself with own set, else beyond it.
type Closed func(to netip.AddrPort, protocol uint8, own bool) bool

// fromRouter is the kind of an external router with which the host speaks BGP.
const fromRouter = "router"

// nextHop returns the address of the external router to which a packet is sent; "" if no router has its Ethernet address.
func nextHop(s *ofnet.State, way *vswitchd.Trace) string {
	for _, n := range s.NextHops.All() {
		for _, h := range n.Hops {
			if h.MAC != (ofnet.MAC{}) && net.HardwareAddr(h.MAC[:]).String() == way.End["dl_dst"] {
				return h.Addr.String()
			}
		}
	}
	return ""
}

// handed refuses a packet from an external router that no router would send to this host.
func (o *Options) handed(ask *model.TraceRequest) error {
	if ask.From != fromRouter {
		return nil
	}
	st, err := o.Router()
	if err != nil {
		return err
	}
	dst, err := netip.ParseAddr(ask.Packet.Dst)
	switch {
	case err != nil:
		return fmt.Errorf("dst: %w", err)
	case !slices.ContainsFunc(st.Peers, func(p bgp.PeerStatus) bool { return p.Established() }):
		return errors.New("no router outside hands it packets, since no BGP session is established: " + sessions(&st))
	case !covered(st.Own, dst):
		return fmt.Errorf("no router outside hands it packets to %s, which it does not announce by BGP", dst)
	}
	return nil
}

// followOutputs describes the fate of a packet beyond the switch, for outputs to the host or to an external router.
func (o *Options) followOutputs(ask *model.TraceRequest, t *model.Trace) {
	src, err := netip.ParseAddr(t.After.Src)
	dst, wrong := netip.ParseAddr(t.After.Dst)
	for i := range t.Outputs {
		x := &t.Outputs[i]
		to, _ := identity.ParseRef(x.To)
		switch {
		case errors.Join(err, wrong) != nil:
		case to.Kind == fromRouter:
			o.toNeighbour(x, to.Name)
		case x.To == "host":
			o.toHost(ask, x, src, netip.AddrPortFrom(dst, uint16(t.After.DstPort)))
			o.unlearned(ask, x)
		}
	}
}

// toHost describes what the kernel does with the packet.
func (o *Options) toHost(ask *model.TraceRequest, x *model.TraceExit, src netip.Addr, dst netip.AddrPort) {
	on, err := o.NextHop(src, dst.Addr())
	protocol := map[string]uint8{"tcp": unix.IPPROTO_TCP, "udp": unix.IPPROTO_UDP, "icmp": unix.IPPROTO_ICMP}[ask.Packet.Protocol]
	switch {
	case err == nil && on.Lost == "" && !ask.Answer && o.Closed(dst, protocol, on.Own):
		x.Verdict, x.Text = model.VerdictDenied, "which passes nothing on from containers to "+dst.Addr().String()+", but for open ports"
		if on.Own {
			x.Text = "which has that address itself, and closes the port to containers"
		}
		x.Try = fmt.Sprintf("netplugin --host-ports %s/%d opens it to all containers", ask.Packet.Protocol, dst.Port())
	case err != nil:
		x.Verdict, x.Text = model.VerdictUnknown, "which does not say where it routes it: "+err.Error()
	case on.Own:
		x.Verdict, x.Text = model.VerdictAllowed, "which has that address itself"
	case on.Lost != "":
		x.Verdict, x.Text, x.Try = model.VerdictDenied, "which "+on.Lost, on.Try
	case on.Via.IsValid():
		x.Verdict, x.Text = model.VerdictAllowed, "which routes it on by "+on.Dev+" to "+on.Via.String()
	default:
		x.Verdict, x.Text = model.VerdictAllowed, "which routes it on by "+on.Dev
	}
}

// unlearned adds that no external router has announced a route, if the host has sessions for the tenant: with a route, the packet would not
// have gone to the host.
func (o *Options) unlearned(ask *model.TraceRequest, x *model.TraceExit) {
	concerns := false
	o.Forward.View(func(s *ofnet.State) { concerns = s.Router == nil || s.Router.Tenant == tenantOf(s, ask) })
	if st, err := o.Router(); concerns && err == nil {
		x.Text += ", and no BGP neighbour has announced a way: " + sessions(&st)
	}
}

// toNeighbour describes the session with an external router, because routes may be kept after the session has ended.
func (o *Options) toNeighbour(x *model.TraceExit, name string) {
	st, err := o.Router()
	if err != nil {
		x.Verdict, x.Text = model.VerdictUnknown, "with which no BGP session is known: "+err.Error()
		return
	}
	i := slices.IndexFunc(st.Peers, func(p bgp.PeerStatus) bool { return p.Conf.NeighborAddress == name })
	switch {
	case i < 0 && slices.ContainsFunc(st.Peers, func(p bgp.PeerStatus) bool { return p.Established() }):
		x.Verdict, x.Text = model.VerdictAllowed, "to which a BGP neighbour points"
	case i >= 0 && st.Peers[i].Established():
		x.Verdict, x.Text = model.VerdictAllowed, "with which a BGP session is established"
	default:
		x.Verdict, x.Text = model.VerdictUnknown, "by a route that is kept although no BGP session is established: "+sessions(&st)
		o.Forward.View(func(s *ofnet.State) { x.Try = "netctl bgp inspect " + s.Self + " shows the sessions" })
	}
}

// sessions describes the state of the sessions.
func sessions(st *bgp.Status) string {
	var out []string
	for i := range st.Peers {
		p := &st.Peers[i]
		text := fmt.Sprintf("%s AS %d is %s", p.Conf.NeighborAddress, p.Conf.PeerAS, p.State.SessionState)
		if p.State.Reason != "" && !p.Established() {
			text += " (" + p.State.Reason + ")"
		}
		out = append(out, text)
	}
	if st.Error != "" {
		out = append(out, st.Error)
	}
	if len(out) == 0 {
		return "there is no neighbour"
	}
	return strings.Join(out, ", ")
}

// covered reports whether one of the prefixes contains an address.
func covered(prefixes []string, a netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(text string) bool {
		p, err := netip.ParsePrefix(text)
		return err == nil && p.Contains(a)
	})
}

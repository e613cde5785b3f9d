// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// relay passes a packet from the uplink on to its host, once: to a backend of a service, or to an endpoint behind a tunnel. There it counts
// as if it had arrived at that host's own uplink, so it is judged, and is not passed on again; the receiver's answer leaves by its own
// host.
//
// The relaying host tracks no connection. It sees only one direction, and would treat the packets as invalid.
type relay struct{}

func (relay) Name() string { return "relay" }

func (relay) Tables() []flow.Table { return nil }

// relayVNI is the first of the tunnel numbers for relayed packets: a tenant's is relayVNI + Tenant.ID. No network may have one of them.
const relayVNI = ofnet.LastVNI + 1

// fromOutside matches packets that have just arrived by the uplink, and by the host's interface towards routers.
func fromOutside() flow.Term {
	return flow.EqMask(regFlags, 1<<bitUplink|1<<bitRouted, 1<<bitUplink|1<<bitRouted|1<<bitRelayed)
}

func (relay) Reads() []*Input {
	return append(slices.Concat(readsSwitch, readsMember), readsTenant, readsRouter)
}

func (relay) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if s.Local.Tunnel == 0 {
		return
	}
	if owner.Kind == ofnet.KindTenant {
		if t := s.Tenants.Get(owner.Name); t != nil {
			steps := []flow.Action{on(bitUplink), on(bitFabric), on(bitRouted), on(bitRelayed), load(regNetwork, outside)}
			out.Add(flow.New(tOverlay, 110, flow.NewMatch(flow.Eq(flow.TunID, relayVNI|uint64(t.ID))),
				flow.Do(append(enterTenant(steps, t), flow.GotoTable(tUnhairpin))...)))
		}
		return
	}
	m, ok := endpoint(s, owner)
	if !ok || m.local || !m.host.VTEP.IsValid() || s.Router == nil || s.Router.Tenant != m.net.Tenant {
		return
	}
	if m.net.Encap == ofnet.VXLAN {
		forged(out, m)
	}
	// Before the tracker: an answer to a request that the endpoint sent by its own host matches nothing here.
	do := flow.Do(tunnelRelay(s, m)...)
	if m.IP4.Is4() {
		out.Add(flow.New(tTrack, 20, flow.NewMatch(flow.EqAddr(flow.IPDst, m.IP4), inTenant(m.tenant), fromOutside()), do))
	}
	if m.IP6.Is6() {
		out.Add(flow.New(tTrack, 20, flow.NewMatch(flow.EqAddr(flow.IPv6Dst, m.IP6), inTenant(m.tenant), fromOutside()), do))
	}
}

// forged drops packets of routers outside with the address of an endpoint behind a tunnel: between hosts such an endpoint only uses the
// tunnel, and its address determines its group. An endpoint of a VLAN may come by routers if its host is behind one.
func forged(out *flow.Set, m member) {
	outer := flow.Eq(regNetwork, outside)
	if m.IP4.Is4() {
		out.Add(flow.New(tPeer, exact+10, flow.NewMatch(flow.EqAddr(flow.IPSrc, m.IP4), inTenant(m.tenant), outer, has(bitUplink)), flow.Actions{}))
	}
	if m.IP6.Is6() {
		out.Add(flow.New(tPeer, exact+10, flow.NewMatch(flow.EqAddr(flow.IPv6Src, m.IP6), inTenant(m.tenant), outer, has(bitUplink)), flow.Actions{}))
	}
}

// relayTo sends the packet to the host of m: nil if there is no path. On a bridged VLAN that is the VLAN itself, whose packets may be too
// long for a tunnel.
func relayTo(s *ofnet.State, m member) []flow.Action {
	switch {
	case m.net.Encap == ofnet.VLAN && m.net.Mode == ofnet.Bridge:
		if m.host.UplinkMAC == (ofnet.MAC{}) || uplinkMAC(s) == (ofnet.MAC{}) {
			return nil
		}
		steps := []flow.Action{flow.DecTTL(), flow.SetMAC(flow.EthSrc, uplinkMAC(s)), flow.SetMAC(flow.EthDst, m.host.UplinkMAC)}
		return append(append(steps, pushTag(m.net)...), flow.Output(flow.PortInPort))
	case m.host.VTEP.IsValid() && s.Local.Tunnel != 0:
		return tunnelRelay(s, m)
	}
	return nil
}

// tunnelRelay relays by the tunnel to the host of m.
func tunnelRelay(s *ofnet.State, m member) []flow.Action { return hostRelay(s, m.host, m.tenant) }

// hostRelay relays a tenant's packets by the tunnel to a host.
func hostRelay(s *ofnet.State, h *ofnet.Host, t *ofnet.Tenant) []flow.Action {
	return append(tunnelUnder([]flow.Action{flow.DecTTL()}, relayVNI|uint32(t.ID), h.VTEP), flow.Output(s.Local.Tunnel))
}

// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"crypto/sha256"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/frame"
)

// probe returns the probes that agents of other hosts send to test the paths between hosts: in the tunnel, and with the tag of a network by
// the trunk. The switch does so by itself, so a path is known to carry packets even if the agent behind it does not run, and round trips
// are those of the network. A meter limits the probes, and only known ends of tunnels, and tags of networks, are accepted.
type probe struct{}

func (probe) Name() string { return "probe" }

func (probe) Tables() []flow.Table { return nil }

func (probe) Reads() []*Input {
	return append(slices.Clip(readsSwitch), setting(func(a, b *ofnet.State) bool { return a.Local.Equal(&b.Local) }, func(s *ofnet.State, to owners) {
		to(ofnet.Key{Kind: ofnet.KindProbes, Name: s.Self})
	}))
}

const (
	// probeMeter limits the returned probes. No port has this number, nor has a meter of receivers.
	probeMeter = 0xff00
	// The simultaneous probes of all other hosts for `netctl doctor` stay below these values: probes per second, and burst.
	probeRate, probeBurst = 4000, 4000

	probePriority = exact + 20
)

// ProbeKind is the kind of a probe, encoded in its destination.
type ProbeKind byte

// The kinds: probes that the switch returns, that its agent answers, and answers. The values are the first byte of locally administered
// addresses.
const (
	AskSwitch ProbeKind = 0x26
	AskAgent  ProbeKind = 0x36
	ProbeBack ProbeKind = 0x46
)

// ProbeMAC is the address of a host's probes. Lanes of a tunnel may take several paths through the network: their addresses are part of the
// hash that chooses one. On the trunk lane is 0: there each address is at one host, as physical switches learn it.
func ProbeMAC(kind ProbeKind, host string, lane uint8) ofnet.MAC {
	sum := sha256.Sum256([]byte("contiv probe " + host))
	return ofnet.MAC{byte(kind), sum[0], sum[1], sum[2], sum[3], lane}
}

func (probe) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if owner.Kind != ofnet.KindProbes || owner.Name != s.Self {
		return
	}
	self := ProbeMAC(AskSwitch, s.Self, 0)
	steps := []flow.Action{move(flow.EthSrc, flow.EthDst), flow.SetMAC(flow.EthSrc, self)}
	limited := !s.Missing.Has(ofnet.Meters)
	if limited {
		steps = slices.Insert(steps, 0, flow.ToMeter(probeMeter))
	}
	if h := s.Hosts.Get(s.Self); h != nil && h.VTEP.IsValid() && s.Local.Tunnel != 0 {
		back := move(flow.TunSrc, flow.TunDst)
		if h.VTEP.Is6() {
			back = move(flow.TunIPv6Src, flow.TunIPv6Dst)
		}
		out.Add(flow.New(tOverlay, probePriority, flow.NewMatch(flow.Eq(flow.TunID, hostVNI), isProbe(), flow.EqMAC(flow.EthDst, self)),
			flow.Do(append(slices.Clip(steps), back, flow.Output(flow.PortInPort))...)))
	}
	for _, p := range s.Local.Uplinks() {
		if s.Local.Receives(p) { // a broadcast frame arrives at each of several members
			out.Add(flow.New(tNeighbor, probePriority, flow.NewMatch(flow.Eq(flow.InPort, uint64(p)), has(bitUplink), isProbe(), flow.EqMAC(flow.EthDst, self)),
				flow.Do(append(slices.Clip(steps), flow.GotoTable(tBack))...)))
		}
	}
	if limited && len(out.Flows) > 0 {
		out.AddMeter(flow.Meter{ID: probeMeter, Packets: true, Rate: probeRate, Burst: probeBurst})
	}
}

func isProbe() flow.Term { return flow.Eq(flow.EthType, frame.EtherProbe) }

// ProbeAnswers are the flows that send a host's agent the answers to its probes, and the probes that it must answer itself, through a
// meter, while it holds the lease.
func ProbeAnswers(self string) []flow.Flow {
	anyLane := ofnet.MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0}
	var out []flow.Flow
	for _, at := range []struct {
		table flow.TableID
		from  flow.Term
	}{{tOverlay, flow.Eq(flow.TunID, hostVNI)}, {tNeighbor, has(bitUplink)}} {
		for _, kind := range []ProbeKind{AskAgent, ProbeBack} {
			out = append(out, LeaseProbes.flow(at.table, probePriority, flow.NewMatch(at.from, isProbe(), flow.EqMACMask(flow.EthDst, ProbeMAC(kind, self, 0), anyLane)),
				LeaseProbes.toAgent(flow.Output(flow.PortController))))
		}
	}
	return out
}

// ProbeOrigin returns the origin of a probe from the registers of a packet-in: the end of a tunnel, or a network on the trunk.
func ProbeOrigin(m flow.Match) (end netip.Addr, segment uint32) {
	if a, ok := m.Addr(flow.TunSrc); ok {
		return a, 0
	}
	if a, ok := m.Addr(flow.TunIPv6Src); ok {
		return a, 0
	}
	segment, _ = Origin(m)
	return netip.Addr{}, segment
}

// ProbeTunnel sends a probe by the tunnel to a host; ok is false if there is no tunnel.
func ProbeTunnel(s *ofnet.State, host string) (do flow.Actions, ok bool) {
	h := s.Hosts.Get(host)
	if h == nil || host == s.Self || !h.VTEP.IsValid() || s.Local.Tunnel == 0 {
		return do, false
	}
	return flow.Do(append(tunnelUnder(nil, hostVNI, h.VTEP), flow.Output(s.Local.Tunnel))...), true
}

// ProbeTrunk sends a probe by the trunk with a network's tag; ok is false if the network has none, or the host no trunk.
func ProbeTrunk(s *ofnet.State, segment string) (do flow.Actions, ok bool) {
	n := s.Segments.Get(segment)
	if n == nil || n.Encap != ofnet.VLAN || s.Local.Uplink == 0 {
		return do, false
	}
	return flow.Do(append(pushTag(n), toUplink(s))...), true
}

// ProbeSelf makes the switch process a frame as if it had arrived by the trunk, without a network: an agent receives a probe to itself.
func ProbeSelf() flow.Actions { return flow.Do(on(bitUplink), flow.Resubmit(tNeighbor)) }

// ProbeArrival makes the switch process a frame as if it had arrived at a port of the trunk, with a network's tag: an agent receives a
// probe to itself by the same flows as those of others. ok is false if the network has no tag, or the host no trunk.
func ProbeArrival(s *ofnet.State, segment string) (port uint32, do flow.Actions, ok bool) {
	n := s.Segments.Get(segment)
	at := slices.IndexFunc(s.Local.Uplinks(), s.Local.Receives)
	if n == nil || n.Encap != ofnet.VLAN || at < 0 {
		return 0, do, false
	}
	return s.Local.Uplinks()[at], flow.Do(append(pushTag(n), flow.Resubmit(tClassify))...), true
}

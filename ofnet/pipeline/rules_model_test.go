package pipeline_test

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
)

// contains says that a is in one of the prefixes, of which none means all.
func contains(list []netip.Prefix, a netip.Addr) bool {
	return len(list) == 0 || slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// speaksOf says that a rule is about a first packet between a member of its group and a peer.
func speaksOf(r *ofnet.Rule, f frame, own, peer netip.Addr, peerGroup uint32) bool {
	proto := map[string]uint8{"udp": 17, "tcp": 6, "ping": 1, "gre": 47, "sctp": 132}[f.kind]
	port := slices.ContainsFunc(r.Ports, func(p ofnet.PortRange) bool { return p.First <= f.destination() && f.destination() <= p.Last })
	return (r.PeerGroup == 0 || r.PeerGroup == peerGroup) && contains(r.Peers, peer) && contains(r.Own, own) &&
		(r.Protocol == 0 || r.Protocol == proto) &&
		(len(r.Ports) == 0 || port || proto != 6 && proto != 17 && proto != 132) &&
		(!r.Openings || f.kind != "tcp" || f.flags&(syn|ack) == syn)
}

// admits says what the rules of a group say: the highest priority counts, and of equal ones a denial.
func (m model) admits(group string, d ofnet.Direction, f frame, own, peer netip.Addr, peerGroup uint32) bool {
	highest, allowed := uint8(0), true
	for _, r := range m.Rules.All() {
		if r.Group != group || r.Direction != d || r.Priority < highest || !speaksOf(r, f, own, peer, peerGroup) {
			continue
		}
		if r.Priority > highest {
			highest, allowed = r.Priority, true
		}
		allowed = allowed && !r.Deny
	}
	return allowed
}

func (m model) groupNumber(e *ofnet.Endpoint) uint32 {
	if e == nil || m.Groups.Get(e.Group) == nil {
		return 0
	}
	return m.Groups.Get(e.Group).ID
}

// lawless says that no rule is asked about the frame: address resolution.
func (v *visit) lawless() bool { return slices.Contains([]string{"arp", "ns", "na"}, v.f.kind) }

// mayLeave asks the rules of a sender that is here about a frame to an endpoint, nil when the receiver is unknown.
func (v *visit) mayLeave(to *ofnet.Endpoint) bool {
	return !v.local() || v.lawless() || v.admits(v.in.endpoint.Group, ofnet.Out, v.f, v.f.from, v.f.to, v.groupNumber(to))
}

// arrive hands f to an endpoint that is here, when the rules of its group let it.
func (v *visit) arrive(e *ofnet.Endpoint, f frame) {
	from := v.in.endpoint
	if from == nil {
		from = v.origin
	}
	if v.lawless() || v.admits(e.Group, ofnet.In, v.f, v.f.to, v.f.from, v.groupNumber(from)) {
		v.say(fmt.Sprintf("p%d", e.Port), f)
	}
}

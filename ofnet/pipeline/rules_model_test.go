// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
)

// contains says that a is in one of the prefixes, of which none means all.
func contains(list []netip.Prefix, a netip.Addr) bool {
	return len(list) == 0 || slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// speaksOf says that a rule is about a first packet between a member of its group and a peer.
func (m model) speaksOf(r *ofnet.Rule, f frame, own, peer netip.Addr, peerGroup string) bool {
	proto := map[string]uint8{"udp": 17, "tcp": 6, "ping": 1, "gre": 47, "sctp": 132}[f.kind]
	port := slices.ContainsFunc(r.Ports, func(p ofnet.PortRange) bool { return p.First <= f.destination() && f.destination() <= p.Last })
	return (r.PeerGroup == "" || r.PeerGroup == peerGroup) && (r.PeerNetwork == "" || m.onNetwork(r.PeerNetwork, peer)) && contains(r.Peers, peer) && contains(r.Own, own) &&
		(r.Protocol == 0 || r.Protocol == proto) &&
		(len(r.Ports) == 0 || port || proto != 6 && proto != 17 && proto != 132) &&
		(!r.Openings || f.kind != "tcp" || f.flags&(syn|ack) == syn)
}

// onNetwork says that a is among the addresses of a network.
func (m model) onNetwork(name string, a netip.Addr) bool {
	n := m.Segments.Get(name)
	return n != nil && (n.Prefix6.Contains(a) || n.Prefix4.Contains(a) && (!n.First4.IsValid() || n.First4.Compare(a) <= 0 && a.Compare(n.Last4) <= 0))
}

// admits evaluates the rules of a group: the highest priority counts, and of equal ones a denial.
func (m model) admits(group string, d ofnet.Direction, f frame, own, peer netip.Addr, peerGroup string) bool {
	highest, allowed := uint8(0), true
	for _, r := range m.Rules.All() {
		at := identity.Attachment{Group: identity.Group{Tenant: r.ID.Tenant, Name: strings.TrimPrefix(group, r.ID.Tenant+":")}, Policy: r.ID.Name}
		if m.Attachments.Get(at) == nil || r.Direction != d || r.Priority < highest || !m.speaksOf(r, f, own, peer, peerGroup) {
			continue
		}
		if r.Priority > highest {
			highest, allowed = r.Priority, true
		}
		allowed = allowed && !r.Deny
	}
	return allowed
}

// groupOf is the group of an endpoint, "" when no one knows it.
func (m model) groupOf(e *ofnet.Endpoint) string {
	if e == nil || m.Groups.Get(e.Group) == nil {
		return ""
	}
	return e.Group
}

// lawless says that no rule is asked about the frame: address resolution.
func (v *visit) lawless() bool { return slices.Contains([]string{"arp", "ns", "na"}, v.f.kind) }

// mayLeave asks the rules of a sender that is here about a frame to an endpoint, nil when the receiver is unknown.
func (v *visit) mayLeave(to *ofnet.Endpoint) bool {
	return !v.local() || v.lawless() || v.admits(v.in.endpoint.Group, ofnet.Out, v.f, v.f.from, v.f.to, v.groupOf(to)) && v.permits(ofnet.Out, v.in.endpoint, to)
}

// arrive hands f to an endpoint that is here, when the rules of its group let it.
func (v *visit) arrive(e *ofnet.Endpoint, f frame) {
	from := v.in.endpoint
	if from == nil {
		from = v.origin
	}
	if v.lawless() || v.admits(e.Group, ofnet.In, v.f, v.f.to, v.f.from, v.groupOf(from)) && v.permits(ofnet.In, from, e) {
		v.say(fmt.Sprintf("p%d", e.Port), f)
	}
}

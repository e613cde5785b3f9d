// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/osrg/gobgp/v4/api"
	"github.com/osrg/gobgp/v4/pkg/packet/bgp"

	"github.com/contiv/contiv/daemon/record"
)

// PeerStatus is a session in the original's format.
type PeerStatus struct {
	Conf struct {
		NeighborAddress string
		PeerAS          uint32
	}
	State struct {
		AdminState   string    // "up"
		SessionState string    // "established", or an earlier state
		Families     []string  `json:",omitempty"` // of routes that both sides exchange: "ipv4", "ipv6"
		Since        time.Time `json:",omitzero"`  // when the session was established
		Received     uint64    // prefixes
		Announced    uint64    // prefixes, to this peer
		Restarting   bool      `json:",omitempty"` // it is away, and its routes are kept until its return
		Reason       string    `json:",omitempty"` // why the last session ended, if known
		Signed       bool      `json:",omitempty"` // by a password
	}
	// complete: the peer has announced all its routes of the start of the session (End-of-RIB, RFC 4724), or does not send that marker.
	complete bool
}

// Established reports whether routes are exchanged.
func (p *PeerStatus) Established() bool { return p.State.SessionState == "established" }

// Peers lists the sessions, by address.
func (s *Speaker) Peers() ([]PeerStatus, error) {
	var out []PeerStatus
	err := s.server.ListPeer(context.Background(), &api.ListPeerRequest{EnableAdvertised: true}, func(p *api.Peer) {
		out = append(out, s.peer(p))
	})
	if err != nil {
		return nil, fmt.Errorf("list BGP neighbours: %w", err)
	}
	slices.SortFunc(out, func(a, b PeerStatus) int { return strings.Compare(a.Conf.NeighborAddress, b.Conf.NeighborAddress) })
	return out, nil
}

// noEndTime is the time after which the routes of a peer that does not send End-of-RIB count as complete.
const noEndTime = 5 * time.Second

func (s *Speaker) peer(p *api.Peer) (st PeerStatus) {
	st.Conf.NeighborAddress, st.Conf.PeerAS = p.Conf.NeighborAddress, p.Conf.PeerAsn
	st.State.AdminState = strings.ToLower(strings.TrimPrefix(p.State.AdminState.String(), "ADMIN_STATE_"))
	st.State.SessionState = strings.ToLower(strings.TrimPrefix(p.State.SessionState.String(), "SESSION_STATE_"))
	st.State.Signed = p.Conf.AuthPassword != ""
	if p.State.AdminState == api.PeerState_ADMIN_STATE_PFX_CT {
		st.State.Reason = fmt.Sprintf("it announced more than %d routes of a family, as many as max-prefixes permits; raise that, or have it announce fewer, and set the router again",
			cmp.Or(s.config.Prefixes, record.MaxPrefixes))
	}
	address, err := netip.ParseAddr(p.Conf.NeighborAddress)
	if err == nil && st.State.Reason == "" {
		st.State.Reason = s.reasons.of(address)
	}
	st.State.Restarting = p.GracefulRestart.GetPeerRestarting()
	waits := false
	for _, f := range p.AfiSafis {
		st.State.Received += f.State.GetReceived()
		st.State.Announced += f.State.GetAdvertised()
		if g := f.MpGracefulRestart.GetState(); g.GetEnabled() && g.GetReceived() {
			waits = true
		}
	}
	if !st.Established() {
		return st
	}
	families := s.families(p)
	for _, f := range families {
		st.State.Families = append(st.State.Families, familyNames[f])
	}
	if err == nil {
		st.complete = s.ends.all(address, families)
	}
	if up := p.Timers.GetState().GetUptime(); up.IsValid() {
		st.State.Since = up.AsTime()
		st.complete = st.complete || !waits && time.Since(st.State.Since) > noEndTime
	}
	return st
}

// familyNames are those of Families.
var familyNames = map[bgp.Family]string{bgp.RF_IPv4_UC: "ipv4", bgp.RF_IPv6_UC: "ipv6"}

// families returns those that both sides support. A peer that does not negotiate uses IPv4.
func (s *Speaker) families(p *api.Peer) (out []bgp.Family) {
	said := map[bgp.Family]bool{}
	for _, c := range p.State.RemoteCap {
		if f := c.GetMultiProtocol().GetFamily(); f != nil {
			said[bgp.NewFamily(uint16(f.Afi), uint8(f.Safi))] = true
		}
	}
	for _, f := range s.config.families() {
		if said[f] || len(said) == 0 && f == bgp.RF_IPv4_UC {
			out = append(out, f)
		}
	}
	return out
}

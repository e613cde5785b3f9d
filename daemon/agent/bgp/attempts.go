// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/osrg/gobgp/v4/api"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// openTime is the maximum time of an attempt at a session, after which another one is made. A speaker waits for an OPEN for some four
// minutes (RFC 4271, section 8.2.2), which the library does not let one configure: for so long it would keep a connection that was opened
// while the peer was too far away for TTL security, and whose end it could not receive.
const openTime = 20 * time.Second

// attempts records since when peers have been connecting. It is for one goroutine.
type attempts struct {
	limit time.Duration
	since map[netip.Addr]time.Time
}

func newAttempts(limit time.Duration) *attempts {
	return &attempts{limit: limit, since: map[netip.Addr]time.Time{}}
}

// spent lists the peers whose attempt has lasted too long, and restarts their time. It excludes peers without a session whose routes are
// kept, since these would be lost, and peers that were shut down.
func (a *attempts) spent(peers []*api.Peer, now time.Time) (out []netip.Addr) {
	for _, p := range peers {
		addr, err := netip.ParseAddr(p.Conf.NeighborAddress)
		if err != nil {
			continue
		}
		if p.State.SessionState == api.PeerState_SESSION_STATE_ESTABLISHED || p.State.AdminState != api.PeerState_ADMIN_STATE_UP || p.GracefulRestart.GetPeerRestarting() {
			delete(a.since, addr)
			continue
		}
		first, known := a.since[addr]
		if !known {
			first = now
		}
		if a.since[addr] = first; now.Sub(first) >= a.limit {
			a.since[addr] = now
			out = append(out, addr)
		}
	}
	return out
}

// Retry ends attempts that have lasted too long, and starts new ones. One goroutine calls it regularly.
func (s *Speaker) Retry(ctx context.Context) error {
	var peers []*api.Peer
	if err := s.server.ListPeer(ctx, &api.ListPeerRequest{}, func(p *api.Peer) { peers = append(peers, p) }); err != nil {
		return err
	}
	spent := s.attempts.spent(peers, time.Now())
	for i := range s.config.Peers {
		p := &s.config.Peers[i]
		if slices.ContainsFunc(peers, func(at *api.Peer) bool { return at.Conf.NeighborAddress == p.Address.String() }) {
			if !slices.Contains(spent, p.Address) || !connected(p.Address, cmp.Or(p.Port, usualPort), cmp.Or(s.config.Port, usualPort)) {
				continue
			}
			if err := s.server.DeletePeer(ctx, &api.DeletePeerRequest{Address: p.Address.String()}); err != nil {
				return err
			}
		}
		if err := s.addPeer(ctx, p); err != nil { // the next call adds it
			return err
		}
	}
	return nil
}

// connected reports whether this machine has a TCP connection to a port of a peer, or from a peer to a port of its own. If the kernel does
// not answer, it may have one.
func connected(peer netip.Addr, to, from uint16) bool {
	family := uint8(unix.AF_INET)
	if peer.Is6() {
		family = unix.AF_INET6
	}
	sockets, err := netlink.SocketDiagTCP(family)
	if err != nil {
		return true
	}
	return slices.ContainsFunc(sockets, func(c *netlink.Socket) bool {
		at, ok := netip.AddrFromSlice(c.ID.Destination)
		return ok && at.Unmap() == peer && c.State == netlink.TCP_ESTABLISHED && (c.ID.DestinationPort == to || c.ID.SourcePort == from)
	})
}

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

// openTime is for how long a peer may be on the way to a session until the attempt is given up and another one made. A speaker waits for an OPEN for
// some four minutes (RFC 4271, section 8.2.2), and the library lets no one choose: so long a connection would be held that was opened while the
// peer was too far away for TTL security, and whose end it could not tell.
const openTime = 20 * time.Second

// attempts knows since when peers have been on the way to a session. It is for one goroutine.
type attempts struct {
	limit time.Duration
	since map[netip.Addr]time.Time
}

func newAttempts(limit time.Duration) *attempts {
	return &attempts{limit: limit, since: map[netip.Addr]time.Time{}}
}

// spent lists the peers whose attempt has lasted too long, which begins again with that. One without a session whose routes are kept may not be given
// up, as they would go with it, and of one that was cut off nothing is expected.
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

// Retry gives up what peers have been trying for too long over a connection, and begins again with them. It is called every now and then, by one
// goroutine.
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
		if err := s.addPeer(ctx, p); err != nil { // if it cannot be added it is the next time
			return err
		}
	}
	return nil
}

// connected says whether this machine has a TCP connection to a port of a peer, or from a peer to a port of its own. If the kernel does not tell, it may
// have one.
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

package node

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"github.com/contiv/contiv/daemon/record"
)

// greetEvery is how often all neighbours are greeted; Open vSwitch forgets one that was not heard of for 15 minutes
// (lib/tnl-neigh-cache.c, NEIGH_ENTRY_DEFAULT_IDLE_TIME).
const greetEvery = 5 * time.Minute

// services is the part of *cluster.Members that neighbours need.
type services interface {
	List(name string) []record.Service
	Changed() <-chan struct{}
}

// neighbours keeps the link addresses of all other hosts' tunnel ends resolved. The userspace datapath drops the packets
// that a tunnel carries while it asks for one, and so would lose the first of every pair of hosts.
type neighbours struct {
	services services
	self     netip.Addr
	greet    func(netip.Addr) error
	log      *slog.Logger
}

// run greets hosts as they appear, and all of them with each tick, until ctx ends; then it returns nil.
func (n *neighbours) run(ctx context.Context, tick <-chan time.Time) error {
	known := map[netip.Addr]bool{}
	for {
		changed := n.services.Changed()
		known = n.round(known)
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-tick:
			clear(known)
		}
	}
}

// round greets those that are not known and returns who is there.
func (n *neighbours) round(known map[netip.Addr]bool) map[netip.Addr]bool {
	there := map[netip.Addr]bool{}
	for _, s := range n.services.List(record.ServiceAgentVTEP) {
		addr, err := netip.ParseAddr(s.HostAddr)
		if err != nil || addr == n.self {
			continue
		}
		there[addr] = true
		if known[addr] {
			continue
		}
		if err := n.greet(addr); err != nil {
			n.log.Debug("tunnel end of another host", "error", err) // its traffic tells of it too
		}
	}
	return there
}

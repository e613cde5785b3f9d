// SPDX-License-Identifier: Apache-2.0

package underlay

import (
	"context"
	"log/slog"
	"net/netip"
	"time"
)

// greetInterval is how often all neighbours are greeted; Open vSwitch forgets one that has sent nothing for 15 minutes
// (lib/tnl-neigh-cache.c, NEIGH_ENTRY_DEFAULT_IDLE_TIME).
const greetInterval = 5 * time.Minute

// How soon a failed greeting is repeated, and how often: if Open vSwitch itself has the tunnel address, that returns a while after it.
const (
	retryInterval = 250 * time.Millisecond
	maxTries      = 40
)

// neighbours keeps the link addresses of all other hosts' tunnel ends resolved. The userspace datapath drops the packets
// that a tunnel carries while it asks for one, and so would lose the first of every pair of hosts. It learns only from answers
// (lib/tnl-neigh-cache.c, tnl_arp_snoop), and forgets all of them when it ends.
type neighbours struct {
	ends        func() []netip.Addr    // of the tunnels of all hosts
	changed     func() <-chan struct{} // is closed when these may have changed
	self        netip.Addr
	meet        func(netip.Addr) error // a new host: the kernel asks everyone on the link for the address
	greet       func(netip.Addr) error // a host that was met before: the kernel asks only it, if it knows nothing recent of it
	connections func() uint64          // to the switch, so far: another one means that it may have been restarted
	log         *slog.Logger
}

// run meets hosts as they appear, and all of them again when the switch was restarted, and greets all with each tick, until ctx
// ends; then it returns nil. With each look it notices a restart, and repeats what failed.
func (n *neighbours) run(ctx context.Context, tick, look <-chan time.Time) error {
	known := map[netip.Addr]bool{}
	connections, tries, ticked := n.connections(), 0, false
	for {
		changed := n.changed()
		var failed bool
		if known, failed = n.round(known, ticked); !failed {
			tries = maxTries
		}
		ticked = false
		for again := false; !again; {
			select {
			case <-ctx.Done():
				return nil
			case <-changed:
				again, tries = true, 0
			case <-tick:
				again, tries, ticked = true, 0, true
			case <-look:
				if now := n.connections(); now != connections {
					connections, again, tries = now, true, 0
					clear(known)
				}
				if tries < maxTries {
					again = true
					tries++
				}
			}
		}
	}
}

// round meets the unknown hosts, greets also the others if all is set, and returns the known hosts, and whether a greeting
// failed.
func (n *neighbours) round(known map[netip.Addr]bool, all bool) (there map[netip.Addr]bool, failed bool) {
	there = map[netip.Addr]bool{}
	for _, addr := range n.ends() {
		if addr == n.self {
			continue
		}
		var err error
		switch {
		case !known[addr]:
			err = n.meet(addr)
		case all:
			err = n.greet(addr)
		}
		if err != nil {
			n.log.Debug("tunnel end of another host", "error", err) // its traffic shows it too
			failed = true
			continue
		}
		there[addr] = true
	}
	return there, failed
}

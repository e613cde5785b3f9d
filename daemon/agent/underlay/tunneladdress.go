// SPDX-License-Identifier: Apache-2.0

package underlay

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"time"
)

const (
	// addressInterval is how often an agent checks for the tunnel address.
	addressInterval = time.Second
	// purges is how often the datapath's flows are dropped after its return, purgeInterval apart: a busy ovs-vswitchd may still work
	// off what has happened to the address, and make flows by what it knew before.
	purges        = 3
	purgeInterval = 5 * addressInterval
)

// tunnelAddress watches for the host's tunnel address to go and come back. While it was gone, Open vSwitch handed what came to it to the
// host, by flows of its datapath that it keeps as long as packets take them; so these are dropped once it accepts tunnel packets again.
// Forwarding continues: Open vSwitch recreates each flow for the next packet that needs it.
type tunnelAddress struct {
	addr  netip.Addr
	here  func() bool                               // an interface that is up has it
	ports func(ctx context.Context) (string, error) // where ovs-vswitchd takes tunnel packets in, as it prints that
	purge func(ctx context.Context) error           // drops the flows of the datapath
	log   *slog.Logger

	left int       // purges that are due
	last time.Time // when the last one was
}

// run looks until ctx ends. It returns nil.
func (a *tunnelAddress) run(ctx context.Context) error {
	tick := time.NewTicker(addressInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-tick.C:
			a.look(ctx, now)
		}
	}
}

// look notes whether the host has the address, and drops the datapath's flows when that is due.
func (a *tunnelAddress) look(ctx context.Context, now time.Time) {
	switch {
	case !a.here():
		a.left, a.last = purges, time.Time{}
	case a.left == 0 || now.Sub(a.last) < purgeInterval:
	default:
		if err := a.clear(ctx); err != nil {
			a.log.Warn("the tunnel address is back, but old flows may remain in the datapath; run ovs-appctl revalidator/purge", "error", err)
			return
		}
		a.left, a.last = a.left-1, now
	}
}

// clear drops the flows of when the address was gone, unless ovs-vswitchd does not take its packets in yet, which is an error.
func (a *tunnelAddress) clear(ctx context.Context) error {
	ports, err := a.ports(ctx)
	if err != nil {
		return err
	}
	if !accepts(ports, a.addr) {
		return errors.New("ovs-vswitchd does not take packets for it in yet")
	}
	if err := a.purge(ctx); err != nil {
		return err
	}
	a.log.Info("the tunnel address is back: dropped the old flows of the datapath")
	return nil
}

// accepts finds an address among those at which ovs-vswitchd takes tunnel packets in: "...,ipv4(dst=192.0.2.1,proto=17,...", or ipv6.
func accepts(ports string, addr netip.Addr) bool {
	return strings.Contains(ports, "(dst="+addr.String()+",")
}

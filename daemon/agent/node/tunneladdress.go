package node

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"time"
)

// addressEvery is how often the tunnel address is looked for.
const addressEvery = time.Second

// tunnelAddress watches for the host's tunnel address to go and come back. While it was gone, Open vSwitch handed what came to it to the host, by flows of
// its datapath that it keeps as long as packets take them; so these are dropped once it takes tunnel packets in again. Forwarding goes on: each flow is
// made anew for the next packet that wants it.
type tunnelAddress struct {
	addr  netip.Addr
	here  func() bool                               // an interface that is up has it
	ports func(ctx context.Context) (string, error) // where ovs-vswitchd takes tunnel packets in, as it prints that
	purge func(ctx context.Context) error           // drops the flows of the datapath
	log   *slog.Logger
}

// run looks until ctx ends. It returns nil.
func (a *tunnelAddress) run(ctx context.Context) error {
	tick := time.NewTicker(addressEvery)
	defer tick.Stop()
	gone := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if !a.here() {
			gone = true
			continue
		}
		if !gone {
			continue
		}
		if err := a.clear(ctx); err != nil {
			a.log.Warn("the tunnel address is back, but flows of when it was gone may be left in the datapath; ovs-appctl revalidator/purge drops them", "error", err)
			continue
		}
		gone = false
	}
}

// clear drops the flows of when the address was gone, unless ovs-vswitchd does not take its packets in yet, which is an error.
func (a *tunnelAddress) clear(ctx context.Context) error {
	ports, err := a.ports(ctx)
	if err != nil {
		return err
	}
	if !takesIn(ports, a.addr) {
		return errors.New("ovs-vswitchd does not take packets for it in yet")
	}
	if err := a.purge(ctx); err != nil {
		return err
	}
	a.log.Info("the tunnel address is back: the datapath's flows of when it was gone are dropped")
	return nil
}

// takesIn finds an address among the flows by which ovs-vswitchd takes tunnel packets in: "...,nw_dst=192.0.2.1,...", or ipv6_dst.
func takesIn(ports string, addr netip.Addr) bool {
	key := "nw_dst="
	if addr.Is6() {
		key = "ipv6_dst="
	}
	for rest := ports; ; {
		_, after, found := strings.Cut(rest, key)
		if !found {
			return false
		}
		if text := after[:max(0, strings.IndexFunc(after+" ", func(r rune) bool { return strings.ContainsRune(", /\n", r) }))]; text == addr.String() {
			return true
		}
		rest = after
	}
}

// followTunnelAddress watches this host's.
func (n *Node) followTunnelAddress(ctx context.Context) error {
	a := &tunnelAddress{addr: n.VTEP.Unmap(), log: n.Log,
		here: func() bool {
			u, err := n.links.Underlay(n.VTEP)
			return err == nil && u.Up
		},
		ports: func(ctx context.Context) (string, error) { return n.control(ctx, "tnl/ports/show", "-v") },
		purge: func(ctx context.Context) error {
			_, err := n.control(ctx, "revalidator/purge")
			return err
		}}
	return a.run(ctx)
}

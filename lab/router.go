package lab

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/contiv/contiv/daemon/agent/bgp"
	"github.com/contiv/contiv/ofnet/link"
)

// Router is a router that the hosts' trunks lead to, untagged: with a BGP session to each host, and a world behind it.
type Router struct {
	Config bgp.Config
	World  []netip.Prefix // announced; the router itself answers at the first address of each
}

// trunkDevice is the router's interface: the switch that joins the trunks, as its namespace sees it.
const trunkDevice = "trunk"

// RouterCommand is a program to be run in the namespace of the switches, where a Router has the trunk.
func (l *Lab) RouterCommand(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "ip", append([]string{"netns", "exec", l.switches()}, args...)...)
}

// Run routes until ctx ends: what hosts announce becomes routes of the kernel. It says "listening" on out when it is
// ready, then a line for each change.
func (r *Router) Run(ctx context.Context, log *slog.Logger, out io.Writer) error {
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0); err != nil {
		return err
	}
	trunk, err := netlink.LinkByName(trunkDevice)
	if err != nil {
		return fmt.Errorf("the lab's trunk: %w", err)
	}
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return err
	}
	if err := netlink.AddrReplace(trunk, &netlink.Addr{IPNet: ipNet(r.Config.Address)}); err != nil {
		return err
	}
	if err := link.TxChecksumOff(trunkDevice); err != nil { // the switches of the hosts take frames as they are
		return err
	}
	wake := make(chan struct{}, 1)
	s, err := bgp.Start(r.Config, log, func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return err
	}
	defer func() { _ = s.Stop() }() // its peers notice
	for _, p := range r.World {
		own := netip.PrefixFrom(p.Addr().Next(), p.Addr().BitLen())
		if err := netlink.AddrReplace(lo, &netlink.Addr{IPNet: ipNet(own)}); err != nil {
			return err
		}
		if err := s.Announce(p); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "listening")
	have := map[netip.Prefix]netip.Addr{}
	for {
		want, err := s.Routes()
		if err != nil {
			return err
		}
		for p, via := range want {
			if have[p] != via {
				fmt.Fprintf(out, "route %s via %s\n", p, via)
				route := &netlink.Route{LinkIndex: trunk.Attrs().Index, Dst: ipNet(p), Gw: via.AsSlice()}
				if err := netlink.RouteReplace(route); err != nil {
					return fmt.Errorf("route %s via %s: %w", p, via, err)
				}
			}
		}
		for p := range have {
			if _, ok := want[p]; !ok {
				fmt.Fprintf(out, "no route %s\n", p)
				_ = netlink.RouteDel(&netlink.Route{LinkIndex: trunk.Attrs().Index, Dst: ipNet(p)}) // gone with its interface
			}
		}
		have = maps.Clone(want)
		select {
		case <-ctx.Done():
			return nil
		case <-wake:
		case <-time.After(time.Second):
		}
	}
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}

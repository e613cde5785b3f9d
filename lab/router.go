// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/daemon/agent/bgp"
	"github.com/contiv/contiv/lab/frr"
	"github.com/contiv/contiv/ofnet/link"
)

// Router is a router on the hosts' trunks, untagged: with a BGP session to each host, and networks behind it.
type Router struct {
	Config bgp.Config
	World  []netip.Prefix // announced; the router itself answers at the first address of each
	Device string         // its interface on the trunk; "": the trunk itself
	FRR    *frr.Router    // FRR in place of our own speaker; its Config and World are set from these
}

// trunkDevice is the router's interface: the switch that joins the trunks, as its namespace sees it.
const trunkDevice = "trunk"

// RouterCommand is a program to be run in the namespace of the switches, where a Router has the trunk.
func (l *Lab) RouterCommand(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "ip", append([]string{"netns", "exec", l.switches()}, args...)...)
}

// FRRDir is the directory of the FRR router at an address.
func (l *Lab) FRRDir(address netip.Addr) string {
	return filepath.Join(l.Dir, "frr-"+strings.ReplaceAll(address.String(), ":", "-"))
}

// RouterProcess is a RouterCommand that is process 1 of a PID namespace: all its children end with it, however it ends.
func (l *Lab) RouterProcess(ctx context.Context, args ...string) *exec.Cmd {
	cmd := l.RouterCommand(ctx, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID}
	return cmd
}

// Run routes until ctx ends: announcements of hosts become routes of the kernel. It prints "listening" on out when it is ready, then a line
// for each change, if our own speaker runs. When ctx ends it withdraws what it announced.
func (r *Router) Run(ctx context.Context, log *slog.Logger, out io.Writer) error {
	port, err := r.prepare()
	if err != nil {
		return err
	}
	if f := r.FRR; f != nil {
		f.Config, f.World = r.Config, r.World
		return f.Run(ctx, slog.NewLogLogger(log.Handler(), slog.LevelInfo).Writer(), func() { fmt.Fprintln(out, "listening") })
	}
	return r.speak(ctx, port, log, out)
}

// prepare sets the kernel's settings for routing, and returns the number of the interface on the trunk.
func (r *Router) prepare() (int, error) {
	for _, family := range []string{"ipv4/ip_forward", "ipv6/conf/all/forwarding"} {
		if err := os.WriteFile("/proc/sys/net/"+family, []byte("1"), 0); err != nil {
			return 0, err
		}
	}
	port, err := r.port()
	if err != nil {
		return 0, err
	}
	return port, r.world()
}

// speak is Run with our own speaker.
func (r *Router) speak(ctx context.Context, port int, log *slog.Logger, out io.Writer) error {
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
		if err := s.Announce(p); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "listening")
	have := map[netip.Prefix][]netip.Addr{}
	for {
		want, err := s.Routes()
		if err != nil {
			return err
		}
		for p, via := range want {
			if !slices.Equal(have[p], via) {
				fmt.Fprintf(out, "route %s via %s\n", p, via)
				if err := netlink.RouteReplace(kernelRoute(port, p, via)); err != nil {
					return fmt.Errorf("route %s via %s: %w", p, via, err)
				}
			}
		}
		for p, via := range have {
			if _, ok := want[p]; !ok {
				fmt.Fprintf(out, "no route %s\n", p)
				_ = netlink.RouteDel(kernelRoute(port, p, via)) // gone with its interface
			}
		}
		have = want
		select {
		case <-ctx.Done():
			return r.leave(s)
		case <-wake:
		case <-time.After(time.Second):
		}
	}
}

// leave withdraws what was announced, and gives peers time to receive that.
func (r *Router) leave(s *bgp.Speaker) error {
	for _, p := range r.World {
		if err := s.Withdraw(p); err != nil {
			return err
		}
	}
	time.Sleep(500 * time.Millisecond)
	return nil
}

// world makes the router answer at the first address of the networks behind it.
func (r *Router) world() error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return err
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		return err
	}
	for _, p := range r.World {
		own := netip.PrefixFrom(p.Addr().Next(), p.Addr().BitLen())
		if err := netlink.AddrReplace(lo, &netlink.Addr{IPNet: ipNet(own)}); err != nil {
			return err
		}
	}
	return nil
}

// port is the number of the router's interface, which it gives its addresses.
func (r *Router) port() (int, error) {
	name := cmp.Or(r.Device, trunkDevice)
	l, err := netlink.LinkByName(name)
	for end := time.Now().Add(plugTimeout); err != nil && time.Now().Before(end); l, err = netlink.LinkByName(name) {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return 0, fmt.Errorf("the router's interface %s: %w", name, err)
	}
	// FRR announces its link-local address to peers of IPv6 too: without duplicate address detection it is usable at once.
	if err := os.WriteFile("/proc/sys/net/ipv6/conf/"+name+"/accept_dad", []byte("0"), 0); err != nil {
		return 0, err
	}
	for _, p := range []netip.Prefix{r.Config.Address, r.Config.Address6} {
		if !p.IsValid() {
			continue
		}
		a := &netlink.Addr{IPNet: ipNet(p)}
		if p.Addr().Is6() {
			a.Flags = unix.IFA_F_NODAD
		}
		if err := netlink.AddrReplace(l, a); err != nil {
			return 0, fmt.Errorf("address %s of %s: %w", p, name, err)
		}
	}
	if err := netlink.LinkSetUp(l); err != nil {
		return 0, err
	}
	return l.Attrs().Index, link.TxChecksumOff(name) // the switches of the hosts forward frames unchanged
}

// plugTimeout is the maximum wait for an interface that another process creates.
const plugTimeout = 5 * time.Second

// Beside runs a program in a network namespace of its own, which ends with it, with an interface that leads to the trunk.
// It blocks until the program ends.
func Beside(device string, cmd *exec.Cmd) error {
	trunk, err := netlink.LinkByName(trunkDevice)
	if err != nil {
		return fmt.Errorf("the lab's trunk: %w", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET}
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := plug(device, trunk, cmd.Process.Pid); err != nil {
		return errors.Join(fmt.Errorf("interface %s on the trunk: %w", device, err), cmd.Process.Kill(), cmd.Wait())
	}
	return cmd.Wait()
}

// plug makes an interface in the namespace of a process that leads to a switch in this one.
func plug(name string, into netlink.Link, pid int) error {
	pair := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: name}, PeerName: name + "-port"}
	if err := netlink.LinkAdd(pair); err != nil {
		return err
	}
	port, err := netlink.LinkByName(pair.PeerName)
	if err != nil {
		return err
	}
	return errors.Join(netlink.LinkSetMaster(port, into), netlink.LinkSetUp(port), netlink.LinkSetNsPid(pair, pid))
}

// kernelRoute is a route by an interface, to several next hops as to one.
func kernelRoute(port int, p netip.Prefix, via []netip.Addr) *netlink.Route {
	out := &netlink.Route{LinkIndex: port, Dst: ipNet(p)}
	if len(via) == 1 {
		out.Gw = via[0].AsSlice()
		return out
	}
	for _, a := range via {
		out.MultiPath = append(out.MultiPath, &netlink.NexthopInfo{LinkIndex: port, Gw: a.AsSlice()})
	}
	return out
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}

// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/daemon/agent/bgp"
	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/frr"
)

// routerOptions describe the router.
type routerOptions struct {
	address, address6, device string
	world, peers              []string
	as                        uint32
	daemon, dir               string
	extended                  bool
	inside, beside            bool
}

// Daemons of a router.
const (
	daemonOwn = "contiv"
	daemonFRR = "frr"
)

// router reads them.
func (o *routerOptions) router() (*lab.Router, error) {
	address, err := netip.ParsePrefix(o.address)
	if err != nil {
		return nil, fmt.Errorf("--address: %w", err)
	}
	r := &lab.Router{Config: bgp.Config{Address: address, AS: o.as, Transit: true}, Device: o.device}
	if o.address6 != "" {
		if r.Config.Address6, err = netip.ParsePrefix(o.address6); err != nil {
			return nil, fmt.Errorf("--address6: %w", err)
		}
	}
	for _, text := range o.world {
		world, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("--announce: %w", err)
		}
		if world.Addr().Is4() || o.address6 != "" {
			r.World = append(r.World, world.Masked())
		}
	}
	switch o.daemon {
	case daemonOwn:
	case daemonFRR:
		r.FRR = &frr.Router{Dir: o.dir, ExtendedNextHop: o.extended}
	default:
		return nil, fmt.Errorf("--daemon %s: want %s or %s", o.daemon, daemonOwn, daemonFRR)
	}
	for _, text := range o.peers {
		address, as, ok := strings.Cut(text, "@")
		peer, err := netip.ParseAddr(address)
		number, wrong := strconv.ParseUint(as, 10, 32)
		if !ok || err != nil || wrong != nil {
			return nil, fmt.Errorf("--peer %s: want ADDRESS@AS, such as 50.1.1.1@65001", text)
		}
		r.Config.Peers = append(r.Config.Peers, bgp.Peer{Address: peer, AS: uint32(number)})
	}
	return r, nil
}

// args are the command's arguments, for another process.
func (o *routerOptions) args(self, where string) []string {
	out := []string{self, "router", "--inside", "--" + where, "--address", o.address, "--address6", o.address6, "--device", o.device,
		"--announce", strings.Join(o.world, ","), "--as", fmt.Sprint(o.as), "--daemon", o.daemon, "--directory", o.dir, "--extended-nexthop=" + strconv.FormatBool(o.extended)}
	for _, p := range o.peers {
		out = append(out, "--peer", p)
	}
	return out
}

// newRouter runs a router outside until its input ends.
func newRouter(w *where) *cobra.Command {
	o := &routerOptions{}
	cmd := &cobra.Command{
		Use: "router", Short: "Run a BGP router on the hosts' trunks until the input ends", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := o.router()
			if err != nil {
				return err
			}
			if o.inside && o.device != "" && !o.beside {
				self, err := os.Executable()
				if err != nil {
					return err
				}
				args := o.args(self, "beside")
				again := exec.CommandContext(cmd.Context(), args[0], args[1:]...)
				again.Stdin, again.Stdout, again.Stderr = w.s.In, w.s.Out, w.s.Err
				return lab.Beside(o.device, again)
			}
			if o.inside {
				ctx, cancel := context.WithCancel(cmd.Context())
				go func() {
					_, _ = io.Copy(io.Discard, w.s.In)
					cancel()
				}()
				return r.Run(ctx, slog.New(slog.NewTextHandler(w.s.Err, nil)), w.s.Out)
			}
			l, err := w.open()
			if err != nil {
				return err
			}
			o.dir = l.FRRDir(r.Config.Address.Addr())
			return w.foreground(l.RouterProcess(cmd.Context(), o.args(l.Self(), "inside")...))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.address, "address", "50.1.1.200/24", "address of the router on the trunks, untagged")
	f.StringVar(&o.address6, "address6", "", "IPv6 address of the router on the trunks, such as fd50::c8/64; required for routes of IPv6")
	f.StringVar(&o.device, "device", "", "run beside another router, in a namespace of its own, with an interface of this name; such as r2")
	f.StringSliceVar(&o.world, "announce", []string{"20.1.1.0/24", "fd20::/64"}, "what is behind the router, which answers at the first address of each")
	f.StringArrayVar(&o.peers, "peer", nil, "address and AS of a host's router, such as 50.1.1.1@65001; may be repeated")
	f.Uint32Var(&o.as, "as", 500, "AS of the router")
	f.StringVar(&o.daemon, "daemon", daemonOwn, "who routes: contiv, or frr with FRR's bgpd and zebra (apt-get install frr); contiv lab vtysh asks those")
	f.BoolVar(&o.extended, "extended-nexthop", false, "with FRR: announce routes of IPv4 to peers of IPv6 with a next hop of IPv6 (RFC 8950)")
	f.StringVar(&o.dir, "directory", "", "directory of FRR")
	f.BoolVar(&o.inside, "inside", false, "run here, in the namespace of the switches")
	f.BoolVar(&o.beside, "beside", false, "run here, in a namespace of its own")
	_ = f.MarkHidden("inside") // it exists
	_ = f.MarkHidden("beside")
	_ = f.MarkHidden("directory")
	return cmd
}

// newOutside runs a command where the router is.
func newOutside(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "outside -- COMMAND...", Short: "Run a command on the router of contiv lab router", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			return w.foreground(l.RouterCommand(cmd.Context(), args...))
		},
	}
}

// newVtysh runs FRR's shell.
func newVtysh(w *where) *cobra.Command {
	var text string
	cmd := &cobra.Command{
		Use: "vtysh [-- -c COMMAND...]", Short: "Run FRR's shell on a router of contiv lab router --daemon frr",
		RunE: func(cmd *cobra.Command, args []string) error {
			address, err := netip.ParseAddr(text)
			if err != nil {
				return fmt.Errorf("--address: %w", err)
			}
			l, err := w.open()
			if err != nil {
				return err
			}
			return w.foreground(frr.Shell(cmd.Context(), l.FRRDir(address), args...))
		},
	}
	cmd.Flags().StringVar(&text, "address", "50.1.1.200", "address of the router")
	return cmd
}

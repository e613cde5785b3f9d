// SPDX-License-Identifier: Apache-2.0

// Package command has the commands that make machines hosts of a cluster: contiv init, join, leave, replace, readdress, token,
// cert, pod, snapshot, upgrade, import, config and preflight.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/setup"
	"github.com/contiv/contiv/setup/preflight"
	"github.com/contiv/contiv/trust"
)

// New returns the commands.
func New() []*cobra.Command {
	return []*cobra.Command{newInit(), newJoin(), newLeave(), newReplace(), newReaddress(), newToken(), newCert(), newPod(), newSnapshot(), newUpgrade(), newImport(), newConfig(), newPreflight()}
}

// place describes the machine on which a command works.
type place struct {
	root, bin, start string
	ovs              string // directory of Open vSwitch's sockets
	force            bool
}

func (p *place) flags(f *pflag.FlagSet) {
	f.StringVar(&p.root, "root", "", "root directory of all files, for several hosts on one machine (default /)")
}

func (p *place) daemonFlags(f *pflag.FlagSet) {
	p.flags(f)
	f.StringVar(&p.bin, "bin", "", "directory of netmaster and netplugin (default: that of contiv, else /usr/sbin)")
	f.StringVar(&p.start, "start", "auto", "how to run daemons: systemd, exec (as processes that write to log files), no (only print the commands) or auto (systemd if it runs, else exec)")
}

// host returns the machine.
func (p *place) host() (*setup.Host, error) {
	if p.bin == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		p.bin = setup.Locate(self)
	}
	for _, dir := range []*string{&p.bin, &p.root} {
		if *dir == "" {
			continue
		}
		full, err := filepath.Abs(*dir)
		if err != nil {
			return nil, err
		}
		*dir = full
	}
	return &setup.Host{Root: p.root, Bin: p.bin}, nil
}

// starter returns the way to run daemons that --start selects.
func (p *place) starter(h *setup.Host) (setup.Starter, error) {
	how := p.start
	if how == "auto" {
		how = "exec"
		if setup.Booted() && h.Root == "" {
			how = "systemd"
		}
	}
	switch how {
	case "systemd":
		if h.Root != "" {
			return nil, errors.New("--start systemd: systemd reads units only below /; omit --root, or use --start exec")
		}
		return setup.Systemd{Host: h, Ctl: setup.Systemctl, Journal: setup.Journalctl, Sysusers: setup.Sysusers, Release: setup.SystemdRelease(context.Background())}, nil
	case "exec":
		return setup.Detached{Host: h}, nil
	case "no":
		return setup.ByHand{Host: h}, nil
	}
	return nil, fmt.Errorf("--start: got %s, want auto, systemd, exec or no", p.start)
}

// identity has the flags that describe a host. They have defaults.
type identity struct{ label, address, vtep string }

func (i *identity) flags(f *pflag.FlagSet) {
	f.StringVar(&i.label, "label", "", "name of this host in the cluster (default: the machine's host name)")
	f.StringVar(&i.address, "address", "", "address at which other hosts reach this one (default: the one that it had in the cluster, else that of the route to the netmaster, else that of the first usable interface)")
	f.StringVar(&i.vtep, "vtep-ip", "", "tunnel endpoint address of this host (default: the one that it had, if --address is not given, else that of --address)")
}

// fill completes a wish from the flags, and returns the machine's host name. netmaster is the address of a netmaster of the cluster; "": there
// is none yet.
func (i *identity) fill(h *setup.Host, w *setup.Wish, netmaster string) (hostname string, err error) {
	hostname, err = os.Hostname()
	if err != nil {
		return "", err
	}
	address, vtep := h.Addresses()
	switch {
	case i.address != "":
		vtep = i.address
	case address != "" && local(address):
		i.address = address
		if vtep == "" || !local(vtep) {
			vtep = address
		}
	default:
		if i.address, err = ownAddress(netmaster); err != nil {
			return "", fmt.Errorf("--address: %w", err)
		}
		vtep = i.address
	}
	w.Label, w.Address, w.VTEP = cmp.Or(i.label, hostname), i.address, cmp.Or(i.vtep, vtep)
	return hostname, nil
}

// subject describes what this machine is to become.
func (p *place) subject(h *setup.Host, w *setup.Wish, master, agent, embedded bool) *preflight.Subject {
	s := &preflight.Subject{Label: w.Label, VXLAN: w.Settings.NetMode != "vlan", Member: h.Member()}
	s.Address, _ = netip.ParseAddr(w.Address)
	s.VTEP, _ = netip.ParseAddr(w.VTEP)
	port := func(at, n, what string) {
		s.Ports = append(s.Ports, preflight.Port{Network: "tcp", Address: net.JoinHostPort(at, n), For: what, Local: at == loopback})
	}
	if master {
		port(w.Address, setup.MasterPort, setup.Netmaster)
		port(w.Address, setup.ProxyPort, "netmaster's proxy")
		if embedded {
			s.Store = h.StoreDir()
			port(w.Address, "2379", "the embedded store")
			port(w.Address, "2380", "the embedded store's members")
		}
	}
	if agent {
		s.Switch = filepath.Join(cmp.Or(p.ovs, "/run/openvswitch"), "db.sock")
		s.Private = netip.MustParsePrefix("172.19.0.0/16")
		port(w.Address, setup.InspectPort, setup.Netplugin)
		port(loopback, setup.InspectPort, "netplugin's health")
	}
	return s
}

// loopback is the address at which an agent reports its health without TLS.
const loopback = "127.0.0.1"

// check runs the checks and prints what is wrong. It returns an error if a result prevents the setup. clock reads a netmaster's clock; nil:
// there is no netmaster yet.
func (p *place) check(ctx context.Context, out io.Writer, h *setup.Host, w *setup.Wish, master, agent, embedded bool, clock func(context.Context) (time.Time, error)) error {
	s := p.subject(h, w, master, agent, embedded)
	s.Clock = clock
	words := map[preflight.State]string{preflight.Error: "problem", preflight.Warning: "note"}
	wrong := 0
	for _, r := range preflight.Run(ctx, preflight.Local{}, s) {
		if r.State == preflight.Error {
			wrong++
		}
		if words[r.State] != "" {
			_, _ = fmt.Fprintf(out, "%s: %s: %s\n  %s\n", words[r.State], r.Check, r.Summary, r.Remedy)
		}
	}
	if wrong > 0 && !p.force {
		return errors.New("this machine cannot be a host of a cluster yet; nothing was changed (--force continues nevertheless)")
	}
	return nil
}

// reach returns a client of this host's cluster, with the most powerful certificate of the host.
func (p *place) reach() (*client.Client, *setup.Host, trust.Role, error) {
	h, err := p.host()
	if err != nil {
		return nil, nil, "", err
	}
	for _, role := range []trust.Role{trust.User, trust.Master, trust.Agent} {
		if h.Trust().Has(role) {
			netmasters := h.Netmasters()
			if own := os.Getenv("CONTIV_NETMASTER_INTERNAL_ADDRESS"); own != "" && len(netmasters) == 0 { // in a netmaster's pod
				netmasters = []string{own}
			}
			c, err := h.Client(role, requestTimeout, netmasters...)
			return c, h, role, err
		}
	}
	return nil, nil, "", fmt.Errorf("there is no certificate in %s: this host is not part of a cluster; create one with contiv init, or join one with contiv join TOKEN@ADDRESS", h.Trust())
}

// requestTimeout is how long a command waits while the cluster has no leader.
const requestTimeout = 5 * time.Second

// lines returns a function that prints what steps report.
func lines(out io.Writer) func(string) {
	return func(text string) { _, _ = fmt.Fprintln(out, strings.TrimSpace(text)) }
}

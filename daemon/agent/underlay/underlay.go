// SPDX-License-Identifier: Apache-2.0

// Package underlay follows the network between hosts: the addresses by which this host is reached, which it reports to netmasters, how large
// packets may be there, the link addresses of other hosts' tunnel ends, and whether this host has its tunnel address.
package underlay

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/daemon/agent/hostcheck"
	"github.com/contiv/contiv/daemon/agent/part"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/ofnet/link"
)

// Records is the part of *desired.Engine that an Underlay needs.
type Records interface {
	Machines() []*record.Host
	Joined() <-chan struct{}
	Direct() bool
	Changed() <-chan struct{}
}

// Switch is the part of *vswitch.Connection that an Underlay needs.
type Switch interface {
	// Connections counts the connections to the switch: a new one may mean that it was restarted.
	Connections() uint64
	// Control runs a command of ovs-vswitchd.
	Control(ctx context.Context, command string, args ...string) (string, error)
	// LimitARP keeps the kernel from answering ARP at NICs of the userspace datapath.
	LimitARP()
	// IsBridge reports whether an interface is a bridge of Open vSwitch.
	IsBridge(name string) bool
	// Members lists the ports of a bridge.
	Members(ctx context.Context, bridge string) ([]string, error)
}

// Options are what an Underlay needs.
type Options struct {
	Host    string // label
	Size    *Size
	Links   *link.Host
	Records Records
	Switch  Switch
	Adjust  func(ctx context.Context) error // gives all containers the MTU of now
	Log     *slog.Logger
}

// Underlay is the network between hosts, as seen from this one.
type Underlay struct {
	Options
}

// New returns an Underlay.
func New(o Options) *Underlay { return &Underlay{Options: o} }

// Part returns the tasks that follow the underlay, and the check of it.
func (u *Underlay) Part(stages *part.Stages) part.Part {
	return part.Part{
		Tasks: []task.Task{
			part.Started("MTU of the underlay", func(ctx context.Context) error {
				return u.Links.FollowMTU(ctx, u.Size.VTEP, func(mtu int) { u.newMTU(ctx, mtu) })
			}),
			stages.AfterPreparation("MTU of the uplinks", u.followTrunk),
			stages.AfterSync("MTU of containers that meet hosts", u.followDirect),
			stages.AfterPreparation("neighbours of the tunnel", u.followNeighbours),
			stages.AfterPreparation("return of the tunnel address", u.followTunnelAddress),
		},
		Checks: []check.Check{u.check()},
	}
}

// check returns the check of the interfaces that carry tunnels.
func (u *Underlay) check() check.Check {
	c := &hostcheck.Underlay{Host: u.Host, VTEP: u.Size.VTEP, Find: u.Links.Underlay, Interface: u.Links.Interface, Bridge: u.Switch.IsBridge, Members: u.Switch.Members,
		Flows: func(ctx context.Context, bridge string) (string, error) {
			return u.Switch.Control(ctx, "bridge/dump-flows", bridge)
		}}
	return c.Check()
}

// followNeighbours keeps the link addresses of all tunnel ends known to the switch, until ctx ends.
func (u *Underlay) followNeighbours(ctx context.Context) error {
	tick := time.NewTicker(greetInterval)
	defer tick.Stop()
	look := time.NewTicker(retryInterval)
	defer look.Stop()
	hosts := &neighbours{ends: u.tunnelEnds, changed: u.Records.Joined, self: u.Size.VTEP, meet: u.Links.ForgetAndGreet, greet: u.Links.Greet,
		connections: u.Switch.Connections, log: u.Log}
	return hosts.run(ctx, tick.C, look.C)
}

// tunnelEnds returns those of all hosts.
func (u *Underlay) tunnelEnds() (out []netip.Addr) {
	for _, h := range u.Records.Machines() {
		out = append(out, h.VTEP)
	}
	return out
}

// followTunnelAddress watches this host's tunnel address until ctx ends.
func (u *Underlay) followTunnelAddress(ctx context.Context) error {
	a := &tunnelAddress{addr: u.Size.VTEP.Unmap(), log: u.Log,
		here: func() bool {
			found, err := u.Links.Underlay(u.Size.VTEP)
			return err == nil && found.Up
		},
		ports: func(ctx context.Context) (string, error) { return u.Switch.Control(ctx, "tnl/ports/show", "-v") },
		purge: func(ctx context.Context) error {
			_, err := u.Switch.Control(ctx, "revalidator/purge")
			return err
		}}
	return a.run(ctx)
}

// SPDX-License-Identifier: Apache-2.0

package vswitch

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/part"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// How several uplinks are used together.
const (
	BondBackup = "active-backup" // one at a time; needs nothing of the peer switch
	BondLACP   = "lacp"          // all that the peer switch agrees to by LACP (IEEE 802.1AX); while it is silent, one at a time
)

// channelPort is the port of the bridge that the uplinks are members of with BondLACP.
const channelPort = "uplinkPort"

// lookAtLACP is how often the state of LACP is read: no row of the database changes with all of it.
const lookAtLACP = time.Second

// TrunkPorts is the part of *ovsdb.Switch that a Trunk needs.
type TrunkPorts interface {
	Port(name string) (ovsdb.Port, bool)
}

// TrunkOptions are what a Trunk needs.
type TrunkOptions struct {
	UplinkSettings
	Ports   TrunkPorts
	Changed func() <-chan struct{}                                                    // closed when a port may have changed
	Control func(ctx context.Context, command string, args ...string) (string, error) // runs a command of ovs-vswitchd
	Traffic func(nic string) (link.Traffic, error)                                    // what a NIC has carried
	Use     func(active uint32, channel []uint32)                                     // sends by these ports of the switch
	Log     *slog.Logger
}

// Trunk has the uplinks of a host. Its methods are safe for concurrent use.
type Trunk struct {
	TrunkOptions
	now atomic.Pointer[state] // as last seen, never nil
}

// NewTrunk returns a Trunk without known state.
func NewTrunk(o TrunkOptions) *Trunk {
	t := &Trunk{TrunkOptions: o}
	t.now.Store(&state{})
	return t
}

// Part returns the task that follows the uplinks, if there are several.
func (t *Trunk) Part(stages *part.Stages) (p part.Part) {
	if len(t.NICs) > 1 {
		p.Tasks = append(p.Tasks, stages.AfterPreparation("uplinks", t.follow))
	}
	return p
}

// state is how the uplinks are used. Members are indexes of UplinkSettings.NICs.
type state struct {
	active  int
	channel []int // those that are used together; empty: only active
	lacp    vswitchd.Bond
}

// stateOf computes how the uplinks are used from their links and the LACP agreement.
func stateOf(ports TrunkPorts, nics []string, agreed vswitchd.Bond) state {
	t := state{active: activeUplink(ports, nics), lacp: agreed}
	if !agreed.Negotiated {
		return t
	}
	for i, nic := range nics {
		if m := memberOf(agreed, nic); m.Attached && m.Enabled {
			t.channel = append(t.channel, i)
		}
	}
	if t.channel != nil {
		t.active = t.channel[0]
	}
	return t
}

func memberOf(b vswitchd.Bond, nic string) (m vswitchd.Member) {
	if i := slices.IndexFunc(b.Members, func(m vswitchd.Member) bool { return m.Name == nic }); i >= 0 {
		m = b.Members[i]
	}
	return m
}

// same reports whether the same uplinks are used in the same way.
func (t *state) same(other *state) bool {
	return t.active == other.active && slices.Equal(t.channel, other.channel)
}

// status describes each uplink.
func (t *state) status(ports TrunkPorts, nics []string) []model.Uplink {
	var out []model.Uplink
	for i, nic := range nics {
		p, _ := ports.Port(nic)
		m := memberOf(t.lacp, nic)
		u := model.Uplink{Name: nic, Link: p.Up, Active: i == t.active || slices.Contains(t.channel, i), LACP: m.Status, Partner: m.Partner,
			Port: UplinkPort(i)}
		if m.Status != "" && !m.Attached {
			u.LACP += " detached"
		}
		out = append(out, u)
	}
	return out
}

// Status returns the state of each uplink, and what it has carried.
func (t *Trunk) Status() []model.Uplink {
	out := t.now.Load().status(t.Ports, t.NICs)
	for i := range out {
		c, err := t.Traffic(out[i].Name)
		if err != nil {
			continue // it was removed: its status has no link
		}
		out[i].Traffic = model.Traffic{RxPackets: c.RxPackets, RxBytes: c.RxBytes, TxPackets: c.TxPackets, TxBytes: c.TxBytes}
	}
	return out
}

// Together returns how several uplinks are used together; "" for at most one.
func (s *UplinkSettings) Together() string {
	if len(s.NICs) < 2 {
		return ""
	}
	return cmp.Or(s.Bond, BondBackup)
}

// OpenFlow numbers: the first uplink's, and the one after which those of further uplinks follow, which is the host's own port.
const (
	firstPort = 1001
	HostPort  = 1002
)

// UplinkPort returns the OpenFlow number of the uplink with an index: 1001, and then from 1003 on.
func UplinkPort(i int) uint32 {
	if i == 0 {
		return firstPort
	}
	return HostPort + uint32(i)
}

// Name returns the NIC of a port of the switch, "port N" if that is no uplink's.
func (s *UplinkSettings) Name(port uint32) string {
	for i, nic := range s.NICs {
		if UplinkPort(i) == port {
			return nic
		}
	}
	return fmt.Sprintf("port %d", port)
}

// Specs returns the ports that the bridge has for the uplinks: one for each, or one for all.
func (s *UplinkSettings) Specs() []ovsdb.PortSpec {
	var specs []ovsdb.PortSpec
	for i, nic := range s.NICs {
		specs = append(specs, ovsdb.UplinkSpec(nic, UplinkPort(i)))
	}
	if s.Bond == BondLACP && len(specs) > 1 {
		return []ovsdb.PortSpec{ovsdb.LACPSpec(channelPort, specs...)}
	}
	return specs
}

// activeUplink returns the first of the uplinks with a link, or the first one if none has a link.
func activeUplink(ports TrunkPorts, nics []string) int {
	return max(0, slices.IndexFunc(nics, func(nic string) bool {
		p, ok := ports.Port(nic)
		return ok && p.Up
	}))
}

// Recall reads the state of the uplinks before any flow is created, so that a restarted agent creates the flows that the switch has.
func (t *Trunk) Recall(ctx context.Context) {
	if len(t.NICs) > 1 {
		_ = t.read(ctx) // follow logs a persistent error
	}
}

// follow makes the switch use the uplinks that have a link, now and after each change, until ctx ends.
func (t *Trunk) follow(ctx context.Context) error {
	var look <-chan time.Time
	if t.Bond == BondLACP {
		tick := time.NewTicker(lookAtLACP)
		defer tick.Stop()
		look = tick.C
	}
	problem, links := "", ""
	for due := true; ; {
		changed := t.Changed()
		// Most changes of the database are about other ports; ovs-vswitchd is not asked at each of them.
		if now := linksOf(t.Ports, t.NICs); now == links && !due {
			select {
			case <-changed:
			case <-look:
				due = true
			case <-ctx.Done():
				return nil
			}
			continue
		} else {
			links, due = now, false
		}
		err := t.read(ctx)
		switch {
		case err == nil:
			problem = ""
		case ctx.Err() == nil && problem != err.Error():
			problem = err.Error()
			t.Log.Warn("LACP state of the uplinks unknown; keeping the last known state", "error", err)
		}
	}
}

// linksOf returns which NICs have a link, as text.
func linksOf(ports TrunkPorts, nics []string) string {
	out := bytes.Repeat([]byte("-"), len(nics))
	for i, nic := range nics {
		if p, ok := ports.Port(nic); ok && p.Up {
			out[i] = '+'
		}
	}
	return string(out)
}

// read reads the state of the uplinks and makes the switch use them accordingly.
func (t *Trunk) read(ctx context.Context) error {
	agreed, err := t.agreed(ctx)
	if err != nil {
		return err
	}
	t.use(ctx, stateOf(t.Ports, t.NICs, agreed))
	return nil
}

// agreed returns the LACP agreement with the peer switch; nothing without LACP.
func (t *Trunk) agreed(ctx context.Context) (vswitchd.Bond, error) {
	if t.Bond != BondLACP {
		return vswitchd.Bond{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookAtLACP)
	defer cancel()
	text, err := t.Control(ctx, "lacp/show", channelPort)
	if err != nil {
		return vswitchd.Bond{}, err
	}
	bonds, err := vswitchd.ParseBonds(text)
	if err != nil {
		return vswitchd.Bond{}, err
	}
	return bonds[0], nil
}

// use records the state of the uplinks and makes the switch use them accordingly.
func (t *Trunk) use(ctx context.Context, now state) {
	last := t.now.Swap(&now)
	if last.same(&now) {
		return
	}
	var channel []uint32
	for _, i := range now.channel {
		channel = append(channel, UplinkPort(i))
	}
	switch {
	case len(now.channel) > 0:
		level := slog.LevelInfo
		if len(now.channel) < len(t.NICs) {
			level = slog.LevelWarn
		}
		t.Log.Log(ctx, level, "uplinks used together, as LACP has agreed", "uplinks", t.names(now.channel), "partner", memberOf(now.lacp, t.NICs[now.active]).Partner)
	case len(last.channel) > 0:
		t.Log.Warn("LACP selects no uplink; using one with a link, if the peer switch permits it", "was", t.names(last.channel), "is", t.NICs[now.active])
	default:
		t.Log.Warn("active uplink changed", "from", t.NICs[last.active], "to", t.NICs[now.active])
	}
	t.Use(UplinkPort(now.active), channel)
}

// names returns the NICs with these indexes.
func (t *Trunk) names(indexes []int) []string {
	var out []string
	for _, i := range indexes {
		out = append(out, t.NICs[i])
	}
	return out
}

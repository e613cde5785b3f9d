package node

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet/lacp"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// How several uplinks are used together.
const (
	BondBackup = "active-backup" // one at a time; the switch beyond knows nothing of it
	BondLACP   = "lacp"          // all that the switch beyond agrees to by LACP (IEEE 802.1AX); while it is silent, one at a time
)

// channelPort is the port of the bridge that the uplinks are members of with BondLACP.
const channelPort = "uplinkPort"

// lookAtLACP is how often the state of LACP is read: no row of the database changes with all of it.
const lookAtLACP = time.Second

// portsOf is the part of *ovsdb.Switch that uplinks needs.
type portsOf interface {
	Port(name string) (ovsdb.Port, bool)
}

// trunk is how the uplinks fare. Members are places in Config.Uplinks.
type trunk struct {
	active  int
	channel []int // those that are used together; empty: active alone
	lacp    lacp.Bond
}

// trunkOf finds out how the uplinks fare by the links that they have and by what LACP has agreed.
func trunkOf(ports portsOf, nics []string, agreed lacp.Bond) trunk {
	t := trunk{active: activeUplink(ports, nics), lacp: agreed}
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

func memberOf(b lacp.Bond, nic string) (m lacp.Member) {
	if i := slices.IndexFunc(b.Members, func(m lacp.Member) bool { return m.Name == nic }); i >= 0 {
		m = b.Members[i]
	}
	return m
}

// same tells whether the same uplinks are used in the same way.
func (t *trunk) same(other *trunk) bool {
	return t.active == other.active && slices.Equal(t.channel, other.channel)
}

// status says how each uplink fares.
func (t *trunk) status(ports portsOf, nics []string) []model.Uplink {
	var out []model.Uplink
	for i, nic := range nics {
		p, _ := ports.Port(nic)
		m := memberOf(t.lacp, nic)
		u := model.Uplink{Name: nic, Link: p.Up, Active: i == t.active || slices.Contains(t.channel, i), LACP: m.Status, Partner: m.Partner,
			Port: uplinkPort(i)}
		if m.Status != "" && !m.Attached {
			u.LACP += " detached"
		}
		out = append(out, u)
	}
	return out
}

// uplinks says how each uplink fares, and what it has carried.
func (n *Node) uplinks() []model.Uplink {
	out := n.trunk.Load().status(n.sw, n.Uplinks)
	for i := range out {
		c, err := n.links.Traffic(out[i].Name)
		if err != nil {
			continue // it has gone: that it has no link is told already
		}
		out[i].Traffic = model.Traffic{RxPackets: c.RxPackets, RxBytes: c.RxBytes, TxPackets: c.TxPackets, TxBytes: c.TxBytes}
	}
	return out
}

// bond is how several uplinks are used together; "" when there are not several.
func (n *Node) bond() string {
	if len(n.Uplinks) < 2 {
		return ""
	}
	return cmp.Or(n.UplinkBond, BondBackup)
}

// uplinkPort is the OpenFlow number of the uplink at place i: 1001, and then from 1003 on, past the host's.
func uplinkPort(i int) uint32 {
	if i == 0 {
		return portUplink
	}
	return portHost + uint32(i)
}

// uplinkSpecs are the ports of the bridge that the uplinks are: each one by itself, or one of all.
func uplinkSpecs(nics []string, bond string) []ovsdb.PortSpec {
	var specs []ovsdb.PortSpec
	for i, nic := range nics {
		specs = append(specs, ovsdb.UplinkSpec(nic, uplinkPort(i)))
	}
	if bond == BondLACP && len(specs) > 1 {
		return []ovsdb.PortSpec{ovsdb.LACPSpec(channelPort, specs...)}
	}
	return specs
}

// activeUplink is the first of the uplinks that has a link, the first of all when none has.
func activeUplink(ports portsOf, nics []string) int {
	return max(0, slices.IndexFunc(nics, func(nic string) bool {
		p, ok := ports.Port(nic)
		return ok && p.Up
	}))
}

// recallUplinks looks at the uplinks before any flow is made, so that an agent which starts again makes those that the switch has.
func (n *Node) recallUplinks(ctx context.Context) {
	if len(n.Uplinks) > 1 {
		_ = n.lookAtUplinks(ctx) // followUplinks tells of what goes on failing
	}
}

// followUplinks tells which uplinks are used, now and whenever that changes, until ctx ends.
func (n *Node) followUplinks(ctx context.Context) error {
	var look <-chan time.Time
	if n.UplinkBond == BondLACP {
		tick := time.NewTicker(lookAtLACP)
		defer tick.Stop()
		look = tick.C
	}
	problem, links := "", ""
	for due := true; ; {
		changed := n.db.Changed()
		// Most changes of the database are about other ports; ovs-vswitchd is not asked at each of them.
		if now := linksOf(n.sw, n.Uplinks); now == links && !due {
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
		err := n.lookAtUplinks(ctx)
		switch {
		case err == nil:
			problem = ""
		case ctx.Err() == nil && problem != err.Error():
			problem = err.Error()
			n.Log.Warn("state of the uplinks' LACP; what was known stays", "error", err)
		}
	}
}

// linksOf tells which NICs have a link, as text that compares.
func linksOf(ports portsOf, nics []string) string {
	out := bytes.Repeat([]byte("-"), len(nics))
	for i, nic := range nics {
		if p, ok := ports.Port(nic); ok && p.Up {
			out[i] = '+'
		}
	}
	return string(out)
}

// lookAtUplinks finds out how the uplinks fare and has the switch use them so.
func (n *Node) lookAtUplinks(ctx context.Context) error {
	agreed, err := n.agreed(ctx)
	if err != nil {
		return err
	}
	n.useUplinks(ctx, trunkOf(n.sw, n.Uplinks, agreed))
	return nil
}

// agreed is what LACP has agreed with the switch beyond the uplinks; nothing when it is not spoken.
func (n *Node) agreed(ctx context.Context) (lacp.Bond, error) {
	if n.UplinkBond != BondLACP {
		return lacp.Bond{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookAtLACP)
	defer cancel()
	text, err := n.control(ctx, "lacp/show", channelPort)
	if err != nil {
		return lacp.Bond{}, err
	}
	bonds, err := lacp.Parse(text)
	if err != nil {
		return lacp.Bond{}, err
	}
	return bonds[0], nil
}

// useUplinks remembers how the uplinks fare and has the switch use them so.
func (n *Node) useUplinks(ctx context.Context, now trunk) {
	last := n.trunk.Swap(&now)
	if last.same(&now) {
		return
	}
	var channel []uint32
	for _, i := range now.channel {
		channel = append(channel, uplinkPort(i))
	}
	switch {
	case len(now.channel) > 0:
		level := slog.LevelInfo
		if len(now.channel) < len(n.Uplinks) {
			level = slog.LevelWarn
		}
		n.Log.Log(ctx, level, "uplinks used together, as LACP has agreed", "uplinks", n.names(now.channel), "partner", memberOf(now.lacp, n.Uplinks[now.active]).Partner)
	case len(last.channel) > 0:
		n.Log.Warn("LACP has no uplink to use; one is taken that has a link, if the switch beyond lets it", "was", n.names(last.channel), "is", n.Uplinks[now.active])
	default:
		n.Log.Warn("another uplink takes over", "from", n.Uplinks[last.active], "to", n.Uplinks[now.active])
	}
	n.desired.SetUplinks(uplinkPort(now.active), channel)
}

// names are the uplinks at these places.
func (n *Node) names(places []int) []string {
	var out []string
	for _, i := range places {
		out = append(out, n.Uplinks[i])
	}
	return out
}

package catalog

import (
	"errors"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
)

// Pools are the addresses of a network. They change within Catalog.Change alone.
type Pools struct {
	Pool4  *ipam.Pool
	Pool6  *ipam.Pool6                   // nil without IPv6
	blocks map[identity.Group]*ipam.Pool // pools of groups
}

// newPools makes the pools of a network; err says what is wrong with the record.
func newPools(n *Network) (p Pools, err error) {
	p.blocks = map[identity.Group]*ipam.Pool{}
	if n.Record.Subnet.IsValid() {
		p.Pool4, err = ipam.New(n.four)
	}
	if err == nil && n.Record.Subnet6.IsValid() {
		p.Pool6, err = ipam.New6(n.six)
	}
	return p, err
}

// Block is the pool of a group on this network, nil when the group has none.
func (p *Pools) Block(group identity.Group) *ipam.Pool { return p.blocks[group] }

// BlocksText lists the ranges of the group pools, in order, joined by ", ".
func (p *Pools) BlocksText() string {
	var names []string
	for _, b := range slices.SortedFunc(maps.Values(p.blocks), (*ipam.Pool).Compare) {
		names = append(names, b.String())
	}
	return strings.Join(names, ", ")
}

// PoolOf is the pool that address a of an endpoint of group comes from: the group's when it lies in it.
func (p *Pools) PoolOf(group identity.Group, a netip.Addr) *ipam.Pool {
	if b := p.blocks[group]; b != nil && b.Contains(a) {
		return b
	}
	return p.Pool4
}

// Contains tells whether a is an address that the network or one of its group pools gives out.
func (p *Pools) Contains(a netip.Addr) bool {
	if a.Is4() {
		return p.Pool4 != nil && p.Pool4.Contains(a)
	}
	return p.Pool6 != nil && p.Pool6.Contains(a)
}

// BlockAt is the group whose pool address a lies in; zero when it is in none.
func (p *Pools) BlockAt(a netip.Addr) identity.Group {
	for group, block := range p.blocks {
		if block.Contains(a) {
			return group
		}
	}
	return identity.Group{}
}

// PoolAt is the pool that gives address a out: a group's, or the network's own.
func (p *Pools) PoolAt(a netip.Addr) *ipam.Pool { return p.PoolOf(p.BlockAt(a), a) }

// take takes an address of an endpoint of group.
func (p *Pools) take(group identity.Group, a netip.Addr) error {
	switch {
	case a.Is4() && p.Pool4 != nil:
		return p.PoolOf(group, a).Take(a)
	case a.Is6() && p.Pool6 != nil:
		err := p.Pool6.Take(a)
		p.Pool6.Continue(a)
		return err
	}
	return nil
}

// release gives an address back that nothing takes any more.
func (p *Pools) release(group identity.Group, a netip.Addr) {
	switch {
	case a.Is4() && p.Pool4 != nil:
		if !p.PoolOf(group, a).Release(a) {
			p.PoolAt(a).Release(a) // taken for another group
		}
	case a.Is6() && p.Pool6 != nil:
		p.Pool6.Release(a)
	}
}

// carve makes the pool of a group that has one.
func (p *Pools) carve(g *record.Group) error {
	if !g.Pool.First.IsValid() || p.Pool4 == nil || p.blocks[g.ID] != nil {
		return nil
	}
	block, err := p.Pool4.Carve(g.Pool.First, g.Pool.Last)
	if err == nil {
		p.blocks[g.ID] = block
	}
	return err
}

// groupChanged has the pool of a group follow its record.
func (v *View) groupChanged(was, now *record.Group) error {
	if was != nil && now != nil && was.Network == now.Network && was.Pool == now.Pool {
		return nil // its addresses stay, with those that its endpoints have
	}
	if was != nil {
		if n := v.networks.Get(was.Network); n != nil && n.blocks[was.ID] != nil {
			if n.Pool4.Uncarve(n.blocks[was.ID]) != nil {
				v.partial[was.Network] = struct{}{} // its endpoints go after it
			}
			delete(n.blocks, was.ID)
		}
	}
	if now == nil {
		return nil
	}
	n := v.networks.Get(now.Network)
	if n == nil {
		return nil
	}
	err := n.carve(now)
	if errors.Is(err, ipam.ErrInUse) {
		v.partial[now.Network] = struct{}{} // its endpoints came before it, and have taken their addresses from the network
	}
	return err
}

// networkChanged has the pools of a network follow its record. A record that says the same of them keeps them, with what is in flight.
func (v *View) networkChanged(was, now *Network) error {
	if now == nil {
		v.networks6.Delete(was.id())
		return nil
	}
	if !now.v6.First.IsValid() {
		v.networks6.Delete(now.id())
	} else {
		v.networks6.Set(now.id(), now)
	}
	now.view, now.Pools = v, &Pools{}
	if was != nil && was.addressing == now.addressing {
		now.Pools = was.Pools
		return nil
	}
	v.touch(Ref{model.KindNetwork().Name, now.id().String()})
	return v.fill(now)
}

// fill makes the pools of a network again, of what groups and takings say.
func (v *View) fill(n *Network) (err error) {
	*n.Pools, err = newPools(n)
	for _, g := range sortedByID(groupsOnNetwork.In(v.groups, n.id()).Values(), groupID) {
		err = errors.Join(err, n.carve(g))
	}
	if taken, _ := addressesTaken.In(v.takings, n.id()); taken == 0 {
		return err
	}
	for t := range v.takings.Values() {
		for i := 0; t.network == n.id() && i < len(t.addresses); i++ {
			err = errors.Join(err, ignoreTaken(n.take(t.group, t.addresses[i])))
		}
	}
	return err
}

// refill fills the pools that lack what came before them.
func (v *View) refill() {
	for id := range v.partial {
		if n := v.networks.Get(id); n != nil {
			_ = v.fill(n) // what cannot be taken was told of when it came
		}
	}
	clear(v.partial)
}

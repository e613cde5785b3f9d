// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
)

// pools are the addresses of a network, with their use.
type pools struct {
	mark *mark
	four *ipam.Pool  // nil without IPv4
	six  *ipam.Pool6 // nil without IPv6
	last given
}

// given has the addresses that were allocated last.
type given struct {
	four, six netip.Addr
	groups    map[identity.Group]netip.Addr // of their pools; replaced, never changed
}

// of4 returns the IPv4 address that was allocated last from the pool of a group, or from the network's own.
func (l *given) of4(group identity.Group) netip.Addr {
	if group.IsZero() {
		return l.four
	}
	return l.groups[group]
}

func (l *given) set4(group identity.Group, a netip.Addr) {
	if group.IsZero() {
		l.four = a
		return
	}
	groups := maps.Clone(l.groups)
	if groups == nil {
		groups = map[identity.Group]netip.Addr{}
	}
	groups[group] = a
	l.groups = groups
}

// newPools returns the pools of a network; err describes a malformed record.
func newPools(n *network) (p *pools, err error) {
	p = new(pools)
	if n.Record.Subnet.IsValid() {
		p.four, err = ipam.New(n.four)
	}
	if err == nil && n.Record.Subnet6.IsValid() {
		p.six, err = ipam.New6(n.six)
	}
	return p, err
}

// ownPools returns the pools of a network for changes; nil if there is no such network.
func (v *View) ownPools(id identity.Network) *pools {
	p := v.pools.Get(id)
	if p == nil || p.mark == v.mark {
		return p
	}
	own := *p
	if own.mark = v.mark; p.four != nil {
		own.four = p.four.Clone()
	}
	v.pools.Set(id, &own)
	return &own
}

// acquire acquires an address.
func (p *pools) acquire(a netip.Addr) error {
	if a.Is4() && p.four != nil {
		return p.four.Acquire(a)
	}
	return nil
}

// turn records that an address is about to be acquired: it becomes the last one if it is the next in order, or, while the store is listed
// (a list does not show the order of allocation), if none is higher.
func (v *View) turn(p *pools, network identity.Network, a netip.Addr) {
	switch {
	case a.Is4() && p.four != nil:
		var group identity.Group
		own := p.four.Rest(nil)
		if groupsWithPool.In(&v.groups, network).Len() > 0 {
			n := &Network{v.networks.Get(network), v}
			group = n.BlockAt(a)
			own = n.block4(p, group)
		}
		if last := p.last.of4(group); v.listing {
			if !last.IsValid() || last.Less(a) {
				p.last.set4(group, a)
			}
		} else if next, err := own.Next(last); err == nil && next == a {
			p.last.set4(group, a)
		}
	case a.Is6() && p.six != nil:
		others := func(x netip.Addr) bool { return x != a && v.taken(network, x) }
		if v.listing {
			if !p.last.six.IsValid() || p.last.six.Less(a) {
				p.last.six = a
			}
		} else if next, err := p.six.Next(p.last.six, others); err == nil && next == a {
			p.last.six = a
		}
	}
}

// block4 returns the pool of a group, or the network's own if the group has none.
func (n *Network) block4(p *pools, group identity.Group) ipam.Block {
	if g := n.view.Group(group); g != nil {
		return p.four.Block(g.Pool)
	}
	var others []ipam.Range
	for _, g := range n.withPool() {
		others = append(others, g.Pool)
	}
	return p.four.Rest(others)
}

// release releases an address that no record uses any more.
func (p *pools) release(a netip.Addr) {
	if a.Is4() && p.four != nil {
		p.four.Release(a)
	}
}

// networkChanged updates the pools of a network to its record. A record with the same addresses keeps them.
func (v *View) networkChanged(was, now *network) (err error) {
	if now == nil {
		v.networks6.Delete(was.id())
		v.pools.Delete(was.id())
		return nil
	}
	if !now.v6.First.IsValid() {
		v.networks6.Delete(now.id())
	} else {
		v.networks6.Set(now.id(), now)
	}
	if was != nil && was.addressing == now.addressing {
		return nil
	}
	v.touch(Ref{model.KindNetwork().Name, now.id().String()})
	p, err := newPools(now)
	if before := v.pools.Get(now.id()); before != nil {
		p.last = before.last
	}
	p.mark = v.mark
	v.pools.Set(now.id(), p)
	if taken, _ := addressesTaken.In(&v.allocations, now.id()); taken == 0 {
		return err
	}
	for t := range v.allocations.Values() {
		for i := 0; t.network == now.id() && i < len(t.addresses); i++ {
			err = errors.Join(err, ignoreTaken(p.acquire(t.addresses[i])))
		}
	}
	return err
}

// Pool4 returns the IPv4 addresses that the network allocates itself: all but those of the pools of groups. ok is false if there are none.
func (n *Network) Pool4() (own ipam.Block, ok bool) {
	p := n.pools()
	if p.four == nil {
		return own, false
	}
	return n.block4(p, identity.Group{}), true
}

// Block returns the pool of a group on this network; ok is false if it has none.
func (n *Network) Block(group identity.Group) (pool ipam.Block, ok bool) {
	p, g := n.pools(), n.view.Group(group)
	if p.four == nil || g == nil || !groupsWithPool.In(&n.view.groups, n.id()).Has(group) {
		return pool, false
	}
	return p.four.Block(g.Pool), true
}

// withPool returns the groups on the network that have pools, ordered by these.
func (n *Network) withPool() []*record.Group {
	return slices.SortedFunc(groupsWithPool.In(&n.view.groups, n.id()).Values(), func(a, b *record.Group) int {
		return cmp.Or(a.Pool.First.Compare(b.Pool.First), a.ID.Compare(b.ID))
	})
}

// BlocksText lists the ranges of the group pools, in order, joined by ", ".
func (n *Network) BlocksText() string {
	var names []string
	for _, g := range n.withPool() {
		names = append(names, g.Pool.String())
	}
	return strings.Join(names, ", ")
}

// BlockAt returns the group whose pool contains a; zero if there is none.
func (n *Network) BlockAt(a netip.Addr) identity.Group {
	for _, g := range n.withPool() {
		if g.Pool.Contains(a) {
			return g.ID
		}
	}
	return identity.Group{}
}

// Gives4 reports whether the network allocates IPv4 addresses; Gives6, IPv6 addresses.
func (n *Network) Gives4() bool { return n.pools().four != nil }
func (n *Network) Gives6() bool { return n.pools().six != nil }

// Contains reports whether the network or one of its group pools allocates a.
func (n *Network) Contains(a netip.Addr) bool {
	p := n.pools()
	if a.Is4() {
		return p.four != nil && p.four.Contains(a)
	}
	return p.six != nil && p.six.Contains(a)
}

// Check returns why an endpoint of group cannot have address a, nil if it can: a is free, and in the pool of the group or in none. The
// error is one of package ipam.
func (n *Network) Check(group identity.Group, a netip.Addr) error {
	if a.Is6() && n.Gives6() {
		return n.pools().six.Check(a, n.taken)
	}
	if block, ok := n.Block(group); ok && block.Contains(a) {
		return block.Check(a)
	}
	own, ok := n.Pool4()
	if !ok {
		return fmt.Errorf("%s in %s: %w", a, n.id(), ipam.ErrOutOfRange)
	}
	return own.Check(a)
}

// Next4 returns the next free IPv4 address of the pool of a group that has one, else of the network's own. It follows the address that was
// allocated last, so that a released address is not reused while others have been free for longer. Error: ipam.ErrExhausted.
func (n *Network) Next4(group identity.Group) (netip.Addr, error) {
	p := n.pools()
	if block, ok := n.Block(group); ok {
		return block.Next(p.last.of4(group))
	}
	return n.block4(p, identity.Group{}).Next(p.last.four)
}

// Next6 is Next4 for IPv6, for which groups have no pools.
func (n *Network) Next6() (netip.Addr, error) {
	p := n.pools()
	return p.six.Next(p.last.six, n.taken)
}

func (n *Network) taken(a netip.Addr) bool { return n.view.taken(n.id(), a) }

// pools returns the current pools of the network.
func (n *Network) pools() *pools {
	if p := n.view.pools.Get(n.id()); p != nil {
		return p
	}
	return new(pools) // the network was deleted
}

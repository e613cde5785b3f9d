// SPDX-License-Identifier: Apache-2.0

package history

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// WhyExpired is the reason with which a master ends expired holds.
const WhyExpired = "its time is over"

// moves returns the entry's changes of owners in full.
func (e *Entry) moves() []model.AddressChange {
	var own *Change
	if len(e.Changes) > 0 {
		own = &e.Changes[0]
	}
	var out []model.AddressChange
	for _, a := range e.Addresses {
		m := model.AddressChange{Network: networkOf(a.Network), Address: a.Address, Was: a.Was.model(own), Now: a.Now.model(own)}
		m.Verb = verbOf(m.Was, m.Now, e.Why)
		out = append(out, m)
	}
	return out
}

// networkOf returns the identity of a network, which entries of earlier builds call "network.tenant"; an ambiguous name is returned
// unchanged.
func networkOf(text string) string {
	if id, ok := identity.ParseDottedNetwork(text); ok {
		return id.String()
	}
	return text
}

func verbOf(was, now *model.AddressOwner, why string) string {
	switch {
	case now == nil && why == WhyExpired:
		return "expire"
	case now == nil:
		return "release"
	case now.Kind == model.OwnerHold:
		return "hold"
	case now.Kind == model.OwnerQuarantine:
		return "quarantine"
	case was != nil && was.Kind == now.Kind && was.ID == now.ID:
		return "move"
	}
	return "bind"
}

// AddressFilter selects addresses. An empty field selects all.
type AddressFilter struct {
	Network identity.Network
	Tenant  string
	Address string
}

func (f AddressFilter) accepts(network, address string) bool {
	return (f.Network.IsZero() || f.Network.String() == network) && (f.Tenant == "" || identity.Within(network, f.Tenant)) && (f.Address == "" || f.Address == address)
}

// Ledger returns the entries of the addresses that f selects, the newest last; limit 0 is all.
func (l Log) Ledger(f AddressFilter, limit int) []model.AddressEntry {
	var out []model.AddressEntry
	for e := range l.addresses(len(l.items), f) {
		out = append(out, e)
		if len(out) == limit {
			break
		}
	}
	slices.Reverse(out)
	return out
}

// ChangedOwners returns the owners at m of the addresses whose owner changed after m; nil: it had none.
func (l Log) ChangedOwners(m Moment) (map[Place]*model.AddressOwner, error) {
	l = l.unbroken()
	from, err := l.since(m)
	if err != nil {
		return nil, err
	}
	out := map[Place]*model.AddressOwner{}
	later := Log{items: l.items[from:]}
	for e := range later.addresses(len(later.items), AddressFilter{}) {
		if e.Revision > m.Revision { // see Earlier
			out[Place{e.Network, e.Address}] = e.Was
		}
	}
	return out, nil
}

// addresses yields the ledger backwards from the record before index end.
func (l Log) addresses(end int, f AddressFilter) func(yield func(model.AddressEntry) bool) {
	return func(yield func(model.AddressEntry) bool) {
		for r := range l.backwards(end, quoted(f.Address), f.Network.Name) {
			by := make([]model.Actor, len(r.Entries))
			for i, e := range r.Entries {
				if e.By != nil || i == 0 {
					by[i] = e.By.model()
				} else {
					by[i] = by[i-1]
				}
			}
			for i := len(r.Entries) - 1; i >= 0; i-- {
				for _, m := range slices.Backward(r.Entries[i].moves()) {
					if !f.accepts(m.Network, m.Address) {
						continue
					}
					if !yield(model.AddressEntry{Sequence: r.Sequence, Revision: r.Revision, Time: r.time(), By: by[i], Why: r.Entries[i].Why, AddressChange: m}) {
						return
					}
				}
			}
		}
	}
}

// Book has the current owners of addresses, with the log from which earlier ones follow.
type Book struct {
	log    Log
	filter AddressFilter
	owners map[Place]*model.AddressOwner
	pools  map[Place]string  // of a requested address: the group whose pool contains it, "" if none does
	other  []Place           // requested addresses that the network never allocates
	intent map[string][]byte // networks with a requested address, as stored, by key
}

// Read reads the data that the filter selects from a view.
func Read(v *catalog.View, keep Keep, f AddressFilter) *Book {
	b := &Book{log: Open(v, keep).unbroken(), filter: f, owners: map[Place]*model.AddressOwner{}, pools: map[Place]string{}, intent: map[string][]byte{}}
	for _, n := range v.Networks(f.Tenant) {
		if !f.Network.IsZero() && f.Network != n.Record.ID {
			continue
		}
		b.network(v, n)
	}
	return b
}

// network adds one network.
func (b *Book) network(v *catalog.View, n *catalog.Network) {
	for _, key := range owners(v, n) {
		places, o := Owned(key, v.Value(key))
		for _, p := range places {
			if b.filter.accepts(p.Network, p.Address) {
				b.owners[p] = o.model(nil)
			}
		}
	}
	a, err := netip.ParseAddr(b.filter.Address)
	if err != nil {
		return
	}
	key := n.Record.ID.String()
	p := Place{key, a.String()}
	b.intent[key] = v.Value(KeyOf(model.KindNetwork().Name, key))
	switch {
	case n.Contains(a):
		b.pools[p] = n.BlockAt(a).String()
	case n.Covers(a):
		b.other = append(b.other, p)
	}
}

// owners lists the store keys of the owners of a network's addresses.
func owners(v *catalog.View, n *catalog.Network) []string {
	keys := []string{record.Networks + n.Record.ID.String()}
	for _, e := range v.EndpointsOf(n) {
		keys = append(keys, record.Endpoints+e.ID.String())
	}
	for _, s := range v.ServiceLBs(n.Record.ID.Tenant) {
		if s.Network == n.Record.ID {
			keys = append(keys, record.ServiceLBs+s.ID.String())
		}
	}
	for _, l := range v.LoadBalancersOn(n.Record.ID) {
		keys = append(keys, record.LoadBalancers+l.ID.String())
	}
	for _, g := range v.Groups(n.Record.ID.Tenant) {
		if g.Network == n.Record.ID {
			keys = append(keys, record.Groups+g.ID.String())
		}
	}
	for _, h := range v.HoldsOn(n) {
		keys = append(keys, catalog.HoldKey(h.Network, h.Address))
	}
	return keys
}

// At returns the state at m of every address that the filter selects and that had an owner then; for an address that the filter names, also
// that it had none. They are ordered by network and address.
func (b *Book) At(m Moment) ([]model.AddressState, error) {
	from, err := b.log.since(m)
	if err != nil {
		return nil, err
	}
	owners := maps.Clone(b.owners)
	later := Log{items: b.log.items[from:]}
	for e := range later.addresses(len(later.items), b.filter) {
		if e.Revision <= m.Revision { // see Earlier
			continue
		}
		p := Place{e.Network, e.Address}
		if e.Was == nil {
			delete(owners, p)
		} else {
			owners[p] = e.Was
		}
	}
	states := map[Place]*model.AddressState{}
	for p, o := range owners {
		states[p] = &model.AddressState{Network: p.Network, Address: p.Address, State: o.Kind, Owner: o}
	}
	for p := range b.pools {
		if states[p] == nil && b.existed(p, m) {
			states[p] = &model.AddressState{Network: p.Network, Address: p.Address, State: "free"}
		}
		if s := states[p]; s != nil && m.IsNow() {
			s.Pool = b.pools[p]
		}
	}
	for _, p := range b.other {
		if states[p] == nil && b.existed(p, m) {
			states[p] = &model.AddressState{Network: p.Network, Address: p.Address, State: "outside"}
		}
	}
	b.explain(states, from)
	return slices.SortedFunc(values(states), byAddress), nil
}

// existed reports whether the network of an address existed at m.
func (b *Book) existed(p Place, m Moment) bool {
	o, err := b.log.ObjectAt(model.KindNetwork().Name, p.Network, b.intent[p.Network], m)
	return err == nil && o != nil
}

// explain adds the time and the author of the last change, and the previous owner, as far as the log before index end has them.
func (b *Book) explain(states map[Place]*model.AddressState, end int) {
	left := len(states)
	for e := range b.log.addresses(end, b.filter) {
		s := states[Place{e.Network, e.Address}]
		if s == nil || s.Before != nil {
			continue
		}
		if s.Since == nil {
			at, by := e.Time, e.By
			s.Since, s.By = &at, &by
		}
		if s.Before = e.Was; s.Before == nil {
			continue
		}
		if left--; left == 0 {
			return
		}
	}
}

func values(states map[Place]*model.AddressState) func(yield func(model.AddressState) bool) {
	return func(yield func(model.AddressState) bool) {
		for _, s := range states {
			if !yield(*s) {
				return
			}
		}
	}
}

func byAddress(a, b model.AddressState) int {
	first := func(s string) netip.Addr {
		s, _, _ = strings.Cut(s, "-")
		x, _ := netip.ParseAddr(s)
		return x
	}
	return cmp.Or(cmp.Compare(a.Network, b.Network), first(a.Address).Compare(first(b.Address)), cmp.Compare(len(a.Address), len(b.Address)))
}

// SPDX-License-Identifier: Apache-2.0

package history

import (
	"cmp"
	"encoding/json"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Place is an address of a network, or the range of a group's pool, "first-last".
type Place struct{ Network, Address string }

// Owned returns the addresses that a stored record owns, in order; a malformed value owns nothing.
func Owned(key string, value []byte) ([]Place, Owner) {
	if value == nil {
		return nil, Owner{}
	}
	var r any
	switch {
	case strings.HasPrefix(key, record.Endpoints):
		r = &record.Endpoint{}
	case strings.HasPrefix(key, record.ServiceLBs):
		r = &record.ServiceLB{}
	case strings.HasPrefix(key, record.LoadBalancers):
		r = &record.LoadBalancer{}
	case strings.HasPrefix(key, record.Networks):
		r = &record.Network{}
	case strings.HasPrefix(key, record.Groups):
		r = &record.Group{}
	case catalog.IsHold(key):
		r = &catalog.Hold{}
	}
	if r == nil || json.Unmarshal(value, r) != nil {
		return nil, Owner{}
	}
	return owned(r)
}

// owned is the only place that defines which records own addresses.
func owned(r any) (places []Place, o Owner) {
	add := func(network identity.Network, addresses ...netip.Addr) {
		for _, a := range addresses {
			if a.IsValid() {
				places = append(places, Place{network.String(), a.String()})
			}
		}
	}
	switch r := r.(type) {
	case *record.Endpoint:
		o = Owner{Kind: model.OwnerEndpoint, ID: r.ID.String(), Host: r.Host}
		add(r.ID.Network, r.IP, r.IP6)
	case *record.ServiceLB:
		o = Owner{Kind: model.OwnerService, ID: r.ID.String()}
		add(r.Network, r.IP)
	case *record.LoadBalancer:
		o = Owner{Kind: model.OwnerService, ID: r.Name()}
		add(r.Network, r.Addresses...)
	case *record.Network:
		o = Owner{Kind: model.OwnerGateway, ID: r.ID.String()}
		add(r.ID, r.Gateway, r.Gateway6)
	case *record.Group:
		o = Owner{Kind: model.OwnerPool, ID: r.ID.String()}
		if text, _ := r.Pool.MarshalText(); len(text) > 0 {
			places = append(places, Place{r.Network.String(), string(text)})
		}
	case *catalog.Hold:
		o = Owner{Kind: model.OwnerHold, ID: r.Group.String(), Reason: r.Reason}
		if r.Quarantine != "" {
			o.Kind = model.OwnerQuarantine
		}
		if !r.Expires.IsZero() {
			o.Until = r.Expires.Unix()
		}
		add(r.Network, r.Address)
	}
	return places, o
}

// transfers compares the addresses that an operation's key owned with those that it will own, and adds the difference to moves. made is the
// new value before it was encoded, nil if unknown.
func transfers(moves map[Place]*Address, key string, before, after []byte, made any) {
	at := func(p Place) *Address {
		if moves[p] == nil {
			moves[p] = &Address{Network: p.Network, Address: p.Address}
		}
		return moves[p]
	}
	places, owner := Owned(key, before)
	for _, p := range places {
		at(p).Was = &owner
	}
	places, now := owned(made)
	if made == nil {
		places, now = Owned(key, after)
	}
	for _, p := range places {
		at(p).Now = &now
	}
}

// changedOwners lists the moves that change an owner, in order, and shortens owners that are the object of own.
func changedOwners(moves map[Place]*Address, own *Change) []Address {
	var out []Address
	for _, m := range moves {
		if m.Was != nil && m.Now != nil && *m.Was == *m.Now {
			continue
		}
		m.Was, m.Now = short(m.Was, own), short(m.Now, own)
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b Address) int {
		return cmp.Or(cmp.Compare(a.Network, b.Network), cmp.Compare(len(a.Address), len(b.Address)), cmp.Compare(a.Address, b.Address))
	})
	return out
}

func short(o *Owner, own *Change) *Owner {
	if o == nil || own == nil || o.Kind != own.Kind || o.ID != own.Key {
		return o
	}
	brief := *o
	brief.Kind, brief.ID = "", ""
	return &brief
}

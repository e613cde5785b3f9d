package history

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// Place is an address of a network, or the range of a group's pool, "first-last".
type Place struct{ Network, Address string }

// Owned is what one stored record owns, in order. It is the only place that says which records own addresses; a value
// that cannot be read owns nothing.
func Owned(key string, value []byte) (places []Place, o Owner) {
	if value == nil {
		return nil, o
	}
	add := func(network string, addresses ...string) {
		for _, a := range addresses {
			if a != "" {
				places = append(places, Place{network, a})
			}
		}
	}
	switch {
	case strings.HasPrefix(key, record.Endpoints):
		var e struct{ ID, NetID, IPAddress, IPv6Address, HomingHost string } // names match whatever their case
		if json.Unmarshal(value, &e) == nil {
			o = Owner{Kind: model.OwnerEndpoint, ID: e.ID, Host: e.HomingHost}
			add(e.NetID, e.IPAddress, e.IPv6Address)
		}
	case strings.HasPrefix(key, record.ServiceLBs):
		var s record.ServiceLB
		if json.Unmarshal(value, &s) == nil {
			o = Owner{Kind: model.OwnerService, ID: s.ID}
			add(s.NetID(), s.IPAddress)
		}
	case strings.HasPrefix(key, record.Networks):
		var n record.Network
		if json.Unmarshal(value, &n) == nil {
			o = Owner{Kind: model.OwnerGateway, ID: n.ID}
			add(n.ID, n.Gateway, n.IPv6Gateway)
		}
	case strings.HasPrefix(key, record.Groups):
		var g record.Group
		if json.Unmarshal(value, &g) == nil && g.IPPool != "" {
			o = Owner{Kind: model.OwnerPool, ID: g.ID}
			add(g.NetworkName+"."+g.TenantName, g.IPPool)
		}
	case catalog.IsHold(key):
		var h catalog.Hold
		if json.Unmarshal(value, &h) == nil {
			o = Owner{Kind: model.OwnerHold, ID: h.Group, Reason: h.Reason}
			if h.Quarantine != "" {
				o.Kind = model.OwnerQuarantine
			}
			if !h.Expires.IsZero() {
				o.Until = h.Expires.Unix()
			}
			add(h.Network, h.Address)
		}
	}
	return places, o
}

// transfers compares what an operation's key owned with what it will own, and adds it to moves.
func transfers(moves map[Place]*Address, key string, old, new []byte) {
	at := func(p Place) *Address {
		if moves[p] == nil {
			moves[p] = &Address{Network: p.Network, Address: p.Address}
		}
		return moves[p]
	}
	places, owner := Owned(key, old)
	for _, p := range places {
		at(p).Was = &owner
	}
	places, now := Owned(key, new)
	for _, p := range places {
		at(p).Now = &now
	}
}

// settle lists the moves that change an owner, in order, and shortens owners that are the object of own.
func settle(moves map[Place]*Address, own *Change) []Address {
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

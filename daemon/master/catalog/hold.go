// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// Hold is an address that is excluded from allocation without being in use, stored at HoldKey: for an endpoint that is about to be created,
// or in quarantine.
type Hold struct {
	Network    identity.Network `json:"network"`
	Group      identity.Group   `json:"group,omitzero"`
	Address    netip.Addr       `json:"address"`
	Expires    time.Time        `json:"expires,omitzero"`     // zero: never
	Quarantine string           `json:"quarantine,omitempty"` // one of the constants below; "": for an endpoint
	Reason     string           `json:"reason,omitempty"`     // why it is held, for people
	By         string           `json:"by,omitempty"`         // the requester, if known
	Token      string           `json:"token,omitempty"`      // the token with which the requester releases it; "": anyone may
	Swarm      bool             `json:"swarm,omitempty"`      // By is a swarm's manager, which decides when it ends
}

// Kinds of quarantine.
const (
	// QuarantineReleased keeps an address that an endpoint has just released. A request for this very address gets it, and so does any
	// request when no other address is free.
	QuarantineReleased = "released"
	// QuarantineOperator was ordered by an operator; no request gets the address.
	QuarantineOperator = "operator"
)

// HoldKey returns the store key of a hold.
func HoldKey(network identity.Network, a netip.Addr) string {
	return HoldPrefix + network.String() + "/" + a.String()
}

// parseHold parses the part of a HoldKey after HoldPrefix.
func parseHold(name string) (p networkAddress, err error) {
	i := strings.LastIndexByte(name, '/')
	if p.Addr, err = netip.ParseAddr(name[i+1:]); err == nil {
		p.network, err = identity.ParseNetwork(name[:max(i, 0)])
	}
	return p, err
}

func (h *Hold) held() networkAddress { return networkAddress{h.Network, h.Address} }

// IsHold reports whether a store key is a HoldKey.
func IsHold(key string) bool { return strings.HasPrefix(key, HoldPrefix) }

// HoldPrefix is the prefix of the store keys of holds; see HoldKey.
const HoldPrefix = record.Pools + "holds/"

var holdsOnNetwork = table.By[networkAddress](func(h *Hold) identity.Network { return h.Network })

func holdAllocation(h *Hold) (allocation, error) {
	t := allocation{owner: owner{kind: "a hold"}, network: h.Network, addresses: []netip.Addr{h.Address}}
	switch {
	case h.Quarantine != "":
		t.owner.kind, t.rests = "a quarantine", true
	case h.Swarm:
		t.owner.kind = "a service or task of a swarm"
	}
	return t, nil
}

// Transferable reports whether a request for this very address gets it.
func (h *Hold) Transferable() bool { return h.Quarantine != QuarantineOperator }

// Over reports whether the hold has expired.
func (h *Hold) Over(now time.Time) bool { return !h.Expires.IsZero() && !now.Before(h.Expires) }

// HoldsOn returns the holds on a network's addresses, ordered by address.
func (v *View) HoldsOn(n *Network) []Hold {
	var out []Hold
	for h := range holdsOnNetwork.In(&v.holds, n.id()).Values() {
		out = append(out, *h)
	}
	slices.SortFunc(out, func(a, b Hold) int { return a.Address.Compare(b.Address) })
	return out
}

// Resting returns the address that has been longest in quarantine after its release, of those that within accepts.
func (v *View) Resting(n *Network, within func(netip.Addr) bool) (Hold, bool) {
	var oldest Hold
	for h := range holdsOnNetwork.In(&v.holds, n.id()).Values() {
		if h.Quarantine != QuarantineReleased || !within(h.Address) {
			continue
		}
		if !oldest.Address.IsValid() || cmp.Or(h.Expires.Compare(oldest.Expires), h.Address.Compare(oldest.Address)) < 0 {
			oldest = *h
		}
	}
	return oldest, oldest.Address.IsValid()
}

// Holds returns all held addresses with their store keys.
func (v *View) Holds() map[string]Hold {
	out := make(map[string]Hold, v.holds.Len())
	for h := range v.holds.Values() {
		out[HoldKey(h.Network, h.Address)] = *h
	}
	return out
}

// HoldOf returns the hold on an address of a network.
func (v *View) HoldOf(network identity.Network, a netip.Addr) (Hold, bool) {
	if h := v.holds.Get(networkAddress{network, a}); h != nil {
		return *h, true
	}
	return Hold{}, false
}

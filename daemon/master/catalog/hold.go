package catalog

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

// Hold is an address that is kept out of allocation without an owner that uses it, stored at HoldKey: for an endpoint
// that is about to be created, or, in quarantine, from everyone.
type Hold struct {
	Network    string    `json:"network"` // "network.tenant"
	Group      string    `json:"group,omitempty"`
	Address    string    `json:"address"`
	Expires    time.Time `json:"expires,omitzero"`     // zero: never
	Quarantine string    `json:"quarantine,omitempty"` // one of the words below; "": for an endpoint
	Reason     string    `json:"reason,omitempty"`     // of a quarantine
}

// Kinds of quarantine.
const (
	// QuarantineReleased keeps an address that an endpoint has just given back; it yields to who asks for this very
	// address, and when nothing else is free.
	QuarantineReleased = "released"
	// QuarantineOperator was ordered by hand and yields to no one.
	QuarantineOperator = "operator"
)

// HoldKey is where a hold is stored.
func HoldKey(network, address string) string { return holdPrefix + network + "/" + address }

// IsHold tells whether a store key is a HoldKey.
func IsHold(key string) bool { return strings.HasPrefix(key, holdPrefix) }

const holdPrefix = record.Pools + "holds/"

var holdsOnNetwork = table.By[string](func(h *Hold) string { return h.Network })

func holdTakes(h *Hold) (taking, error) {
	t := taking{owner: "a hold", network: h.Network, group: h.Group}
	if h.Quarantine != "" {
		t.owner = "a quarantine"
	}
	return t, t.parse(h.Address)
}

// Yields tells whether who asks for this very address may have it.
func (h *Hold) Yields() bool { return h.Quarantine != QuarantineOperator }

// Over tells whether the time of the hold is over.
func (h *Hold) Over(now time.Time) bool { return !h.Expires.IsZero() && !now.Before(h.Expires) }

// HoldsOn returns the holds on a network's addresses, ordered by address.
func (v *View) HoldsOn(n *Network) []Hold {
	var out []Hold
	for h := range holdsOnNetwork.In(v.holds, n.Record.ID).Values() {
		out = append(out, *h)
	}
	slices.SortFunc(out, func(a, b Hold) int {
		x, _ := netip.ParseAddr(a.Address)
		y, _ := netip.ParseAddr(b.Address)
		return x.Compare(y)
	})
	return out
}

// Resting returns the address in quarantine after its release that has rested longest, of those that within accepts.
func (v *View) Resting(n *Network, within func(netip.Addr) bool) (Hold, bool) {
	var oldest Hold
	for h := range holdsOnNetwork.In(v.holds, n.Record.ID).Values() {
		a, err := netip.ParseAddr(h.Address)
		if h.Quarantine != QuarantineReleased || err != nil || !within(a) {
			continue
		}
		if oldest.Address == "" || cmp.Or(h.Expires.Compare(oldest.Expires), strings.Compare(h.Address, oldest.Address)) < 0 {
			oldest = *h
		}
	}
	return oldest, oldest.Address != ""
}

// Holds returns all held addresses with their store keys.
func (v *View) Holds() map[string]Hold {
	out := make(map[string]Hold, v.holds.Len())
	for name, h := range v.holds.All() {
		out[holdPrefix+name] = *h
	}
	return out
}

// HoldOf returns the hold on an address of a network.
func (v *View) HoldOf(network, address string) (Hold, bool) {
	if h := v.holds.Get(network + "/" + address); h != nil {
		return *h, true
	}
	return Hold{}, false
}

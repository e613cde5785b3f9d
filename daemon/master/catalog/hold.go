package catalog

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"fmt"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// Hold is an address that is kept out of allocation without an owner that uses it, stored at HoldKey: for an endpoint
// that is about to be created, or, in quarantine, from everybody.
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
	// QuarantineOperator was ordered by hand and yields to nobody.
	QuarantineOperator = "operator"
)

// HoldKey is where a hold is stored.
func HoldKey(network, address string) string { return holds + network + "/" + address }

// IsHold tells whether a store key is a HoldKey.
func IsHold(key string) bool { return strings.HasPrefix(key, holds) }

const holds = record.Pools + "holds/"

// owner is how a hold appears as the owner of an address.
func (h *Hold) owner() string {
	if h.Quarantine != "" {
		return "a quarantine"
	}
	return "a hold"
}

// Yields tells whether who asks for this very address may have it.
func (h *Hold) Yields() bool { return h.Quarantine != QuarantineOperator }

// HoldsOn returns the holds on a network's addresses, ordered by address.
func (v *View) HoldsOn(n *Network) []Hold {
	var out []Hold
	for _, h := range v.holds {
		if h.Network == n.Record.ID {
			out = append(out, h)
		}
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
	for _, h := range v.holds {
		if h.Network != n.Record.ID || h.Quarantine != QuarantineReleased {
			continue
		}
		if a, err := netip.ParseAddr(h.Address); err != nil || !within(a) {
			continue
		}
		if oldest.Address == "" || cmp.Or(h.Expires.Compare(oldest.Expires), strings.Compare(h.Address, oldest.Address)) < 0 {
			oldest = h
		}
	}
	return oldest, oldest.Address != ""
}

// Over tells whether the time of the hold is over.
func (h *Hold) Over(now time.Time) bool { return !h.Expires.IsZero() && !now.Before(h.Expires) }

func (v *View) putHold(it store.Item) error {
	h, err := decode[Hold](it)
	if err != nil {
		return err
	}
	v.dropHold(it.Key)
	v.holds[it.Key] = *h
	n := v.networks[h.Network]
	if n == nil {
		return fmt.Errorf("network %s is unknown", h.Network)
	}
	return ignoreTaken(n.take(h.Group, h.Address, h.owner()))
}

func (v *View) dropHold(key string) {
	h, ok := v.holds[key]
	if !ok {
		return
	}
	delete(v.holds, key)
	if n := v.networks[h.Network]; n != nil {
		n.release(h.Group, h.Address, h.owner()) // not if an endpoint has taken it over
	}
}

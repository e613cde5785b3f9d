// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"crypto/sha256"

	"github.com/contiv/contiv/ofnet"
)

// TableID is the number of a flow table, 0 to 254.
type TableID uint8

// Table is a flow table with its name and what happens to a packet that matches no flow.
type Table struct {
	ID   TableID
	Name string
	Miss Actions
	Asks string // the question that its flows answer, as text
	Lost string // why a packet that matches no flow is dropped here, as text; "": it continues, or the reason is unknown
}

// Tables is a list of tables; it gives names to numbers in text.
type Tables []Table

// Name returns the name of table id, or "" when it has none.
func (t Tables) Name(id TableID) string { return t.Table(id).Name }

// Table returns table id; the zero Table when it is not in the list.
func (t Tables) Table(id TableID) (found Table) {
	for i := range t {
		if t[i].ID == id {
			found = t[i]
		}
	}
	return found
}

// ID returns the number of the table called name.
func (t Tables) ID(name string) (id TableID, ok bool) {
	for i := range t {
		if t[i].Name == name {
			return t[i].ID, true
		}
	}
	return 0, false
}

// Cookie labels a flow with what caused it: feature in bits 56-63, round in 48-55, owner in 0-47.
type Cookie uint64

// NewCookie packs a cookie; owner is what Owner returns.
func NewCookie(feature, round uint8, owner uint64) Cookie {
	return Cookie(uint64(feature)<<56 | uint64(round)<<48 | owner&ownerMask)
}

const ownerMask = 1<<48 - 1

// Leased is the feature in the cookies of flows that are held by a lease and expire without renewal, and LeasedMeters the first number of
// such meters. They are no part of the desired state of a switch: only their holder adds, changes or deletes them.
const (
	Leased       = 0xff
	LeasedMeters = 1 << 17
)

// Owner is the 48-bit number of an owner: a hash of its key, so that a restarted agent computes the same cookies.
// It is never 0.
func Owner(k ofnet.Key) uint64 {
	h := sha256.Sum256([]byte(k.String()))
	return max(be.Uint64(h[:])>>16, 1)
}

// Feature is the number of the feature that made the flow.
func (c Cookie) Feature() uint8 { return uint8(c >> 56) }

// Round is the sweep that made the flow.
func (c Cookie) Round() uint8 { return uint8(c >> 48) }

// Owner is the number of the flow's owner; compare it with what the function Owner returns.
func (c Cookie) Owner() uint64 { return uint64(c) & ownerMask }

// Key identifies a flow in a switch: two flows with one Key cannot both exist (OpenFlow 1.3.5 section 6.4).
type Key struct {
	Table    TableID
	Priority uint16
	Match    Match
}

// Flow is one entry of a flow table.
type Flow struct {
	Key
	Cookie  Cookie
	Actions Actions
}

// New makes a flow without a cookie.
func New(t TableID, priority uint16, m Match, a Actions) Flow {
	return Flow{Key: Key{t, priority, m}, Actions: a}
}

// Compare orders flows by table, then higher priority first, then match.
func (k Key) Compare(o Key) int {
	a, b := &k, &o
	switch {
	case a.Table != b.Table:
		return int(a.Table) - int(b.Table)
	case a.Priority != b.Priority:
		return int(b.Priority) - int(a.Priority)
	case a.Match.oxm < b.Match.oxm:
		return -1
	case a.Match.oxm > b.Match.oxm:
		return 1
	}
	return 0
}

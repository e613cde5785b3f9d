// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"
	"time"
)

// PairState is how far one netmaster reaches another.
type PairState string

// The states of pairs.
const (
	PairReached   PairState = "reached"   // it answers
	PairSilent    PairState = "silent"    // nothing comes back in time: it is off, or packets are lost
	PairRefused   PairState = "refused"   // its machine refuses the connection: it does not run
	PairUntrusted PairState = "untrusted" // one of the two refuses the certificate of the other
	PairFailed    PairState = "failed"    // it breaks off, or answers something else
)

// MasterPairs are the measurements of netmasters by each other: GET /api/v1/leadership/peers.
type MasterPairs struct {
	At   time.Time   `json:"at"`   // time of the answer, by the clock of the answering netmaster
	Rows []MasterRow `json:"rows"` // one of each netmaster that runs, by address
}

// MasterRow has the measurements of one netmaster.
type MasterRow struct {
	From      string       `json:"from"`      // its internal address "ip:port"
	AgeMillis int64        `json:"ageMillis"` // time since it has reported this
	Peers     []MasterPeer `json:"peers"`     // the other members of the cluster, by address
}

// MasterPeer is another netmaster as one sees it.
type MasterPeer struct {
	To              string    `json:"to"` // its internal address "ip:port"
	State           PairState `json:"state"`
	Reason          string    `json:"reason,omitempty"`          // why it is not reached
	Seconds         float64   `json:"seconds"`                   // for how long the state has lasted
	RoundTripMillis float64   `json:"roundTripMillis,omitempty"` // smallest of the last ones; 0: unknown
	AheadMillis     *float64  `json:"aheadMillis,omitempty"`     // by how much its clock is ahead; absent: unknown
	Arrives         bool      `json:"arrives,omitempty"`         // packets of it arrive, although it is not reached
}

// Peer returns what the netmaster of the row has measured of another one; nil: nothing.
func (r *MasterRow) Peer(to string) *MasterPeer {
	for i := range r.Peers {
		if r.Peers[i].To == to {
			return &r.Peers[i]
		}
	}
	return nil
}

// Silent returns the addresses of netmasters of which there is no row, sorted: others expect them.
func (p *MasterPairs) Silent() (out []string) {
	for i := range p.Rows {
		for _, peer := range p.Rows[i].Peers {
			if !slices.ContainsFunc(p.Rows, func(r MasterRow) bool { return r.From == peer.To }) && !slices.Contains(out, peer.To) {
				out = append(out, peer.To)
			}
		}
	}
	slices.Sort(out)
	return out
}

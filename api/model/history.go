// SPDX-License-Identifier: Apache-2.0

package model

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Headers that identify the sender of a request.
const (
	// ActorHeader is the client's name for itself: "ann@laptop", a host's label. It is recorded as a claim, and decides nothing.
	ActorHeader = "X-Contiv-Actor"
	// ClientHeader is the client's address in a request that a follower forwards. It is only accepted from netmasters.
	ClientHeader = "X-Contiv-Client"
)

// Actor is the requester of a change: its authenticated identity, the origin of the request, and the unauthenticated claims of its sender.
type Actor struct {
	Proved  string `json:"proved,omitempty"`  // the authenticated identity: a user's name, "agent/h1", "master/m1"; "": none
	Proof   string `json:"proof,omitempty"`   // how: certificate, session, ldap, oidc or service-account
	Claimed string `json:"claimed,omitempty"` // the client's name for itself: "ann@laptop" for netctl, the host's label for an agent; "" for other clients
	Program string `json:"program,omitempty"` // the User-Agent: "netctl/1.0"; "netmaster", without an address, for a master's own changes
	Address string `json:"address,omitempty"` // the origin of the request, as seen by a netmaster
	Via     string `json:"via,omitempty"`     // the follower that forwarded it
}

// String describes the actor, its address and its program: "ann@laptop (unproved) from 192.0.2.5 with netctl", "192.0.2.5 with curl",
// "netmaster".
func (a Actor) String() string {
	program, _, _ := strings.Cut(a.Program, "/")
	who := a.Address
	if a.Proved != "" {
		who = word(a.Proved)
		if a.Proof != "" {
			who += " (" + a.Proof + ")"
		}
		if a.Address != "" {
			who += " from " + a.Address
		}
	} else if a.Claimed != "" {
		who = word(a.Claimed) + " (unproved)"
		if a.Address != "" {
			who += " from " + a.Address
		}
	}
	switch {
	case program == "":
		return who
	case who == "":
		return program
	}
	return who + " with " + word(program)
}

// word quotes a client's claim if it might be read as more than one name.
func word(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("@._-:/", r)
	}) {
		return strconv.Quote(s)
	}
	return s
}

// HistoryEntry is one change of one object: GET /api/v1/history.
type HistoryEntry struct {
	Sequence  uint64          `json:"sequence"` // of the record; changes of one transaction may share it
	Revision  uint64          `json:"revision"` // of the store
	Time      time.Time       `json:"time"`     // by the leader's clock
	By        Actor           `json:"by"`
	Why       string          `json:"why,omitempty"` // of a change that a master or an agent made by itself
	Verb      string          `json:"verb"`          // create, update, delete; of an address the verbs of AddressEntry
	Kind      string          `json:"kind"`
	Key       string          `json:"key"`
	Changes   []Change        `json:"changes,omitempty"` // by field
	Cut       bool            `json:"cut,omitempty"`     // some differences were too large to be recorded
	Addresses []AddressChange `json:"addresses,omitempty"`
}

// AddressOwner is the owner of an address.
type AddressOwner struct {
	Kind   string     `json:"kind"` // endpoint, service, gateway, pool, hold or quarantine
	ID     string     `json:"id,omitempty"`
	Host   string     `json:"host,omitempty"`   // of an endpoint
	Until  *time.Time `json:"until,omitempty"`  // of a hold or quarantine
	Reason string     `json:"reason,omitempty"` // of a quarantine
}

// Kinds of owners of addresses.
const (
	OwnerEndpoint   = "endpoint"
	OwnerService    = "service"
	OwnerGateway    = "gateway"
	OwnerPool       = "pool" // a group's, of a range of addresses
	OwnerHold       = "hold"
	OwnerQuarantine = "quarantine"
)

// String describes the owner: "endpoint blue.default-web on h1"; that of nil is "free".
func (o *AddressOwner) String() string {
	if o == nil {
		return "free"
	}
	s := strings.TrimSpace(o.Kind + " " + o.ID)
	if o.Host != "" {
		s += " on " + o.Host
	}
	if o.Reason != "" {
		s += " (" + o.Reason + ")"
	}
	if o.Until != nil {
		s += " until " + o.Until.UTC().Format(time.RFC3339)
	}
	return s
}

// AddressChange is a change of owner of one address, or of the range of a group's pool, "first-last".
type AddressChange struct {
	Verb    string        `json:"verb"`    // hold, bind, move, release, expire, quarantine
	Network string        `json:"network"` // "network.tenant"
	Address string        `json:"address"`
	Was     *AddressOwner `json:"was,omitempty"` // nil: it was free
	Now     *AddressOwner `json:"now,omitempty"`
}

// AddressEntry is one entry of the ledger of addresses: GET /api/v1/ledger.
type AddressEntry struct {
	Sequence uint64    `json:"sequence"`
	Revision uint64    `json:"revision"`
	Time     time.Time `json:"time"`
	By       Actor     `json:"by"`
	Why      string    `json:"why,omitempty"`
	AddressChange
}

// AddressState is the state of one address, now or at an earlier time: GET /api/v1/addresses.
type AddressState struct {
	Network string        `json:"network"` // "network.tenant"
	Address string        `json:"address"` // or "first-last" of a group's pool
	State   string        `json:"state"`   // kind of the owner, or free, reserved (by a group's pool), outside (never allocated)
	Owner   *AddressOwner `json:"owner,omitempty"`
	Pool    string        `json:"pool,omitempty"`   // the group whose pool it belongs to
	Since   *time.Time    `json:"since,omitempty"`  // nil: before the start of the history
	By      *Actor        `json:"by,omitempty"`     // the requester of the change
	Before  *AddressOwner `json:"before,omitempty"` // the previous owner, however long ago
}

// QuarantineRequest keeps a free address from being allocated: POST /api/v1/addresses/quarantine.
type QuarantineRequest struct {
	Network string `json:"network"` // "network.tenant"
	Address string `json:"address"`
	Seconds int64  `json:"seconds,omitempty"` // 0: until it is released
	Reason  string `json:"reason,omitempty"`
}

// ReleaseRequest ends a hold or a quarantine: POST /api/v1/addresses/release.
type ReleaseRequest struct {
	Network string `json:"network"`
	Address string `json:"address"`
}

// ReleaseAnswer reports whether there was something to release.
type ReleaseAnswer struct {
	Released bool `json:"released"`
}

package model

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Headers by which a request says who sends it.
const (
	// ActorHeader is what a client calls itself: "ann@laptop", a host's label. It is kept as a claim, and decides nothing.
	ActorHeader = "X-Contiv-Actor"
	// ClientHeader is what a follower writes into a request that it passes on: the address that it came from. It counts from netmasters alone.
	ClientHeader = "X-Contiv-Client"
)

// Actor is who asked for a change: what it has proved, where the request came from, and what its sender says of itself, which no one has proved.
type Actor struct {
	Proved  string `json:"proved,omitempty"`  // who it is, as netmaster has checked: a user's name, "agent/h1", "master/m1"; "": nothing was proved
	Proof   string `json:"proof,omitempty"`   // how: certificate, session, ldap, oidc or service-account
	Claimed string `json:"claimed,omitempty"` // what the client calls itself: "ann@laptop" of netctl, the host's label of an agent; "" of other clients
	Program string `json:"program,omitempty"` // as the User-Agent says: "netctl/1.0"; "netmaster", without an address, for what a master does by itself
	Address string `json:"address,omitempty"` // where the request came from, as a netmaster saw it
	Via     string `json:"via,omitempty"`     // the follower that passed it on
}

// String is who, from where and with what: "ann@laptop (unproved) from 192.0.2.5 with netctl", "192.0.2.5 with curl", "netmaster".
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

// word quotes what a client says of itself when it might be read as more than one name.
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
	Why       string          `json:"why,omitempty"` // of what a master or an agent did by itself
	Verb      string          `json:"verb"`          // create, update, delete; of an address the verbs of AddressEntry
	Kind      string          `json:"kind"`
	Key       string          `json:"key"`
	Changes   []Change        `json:"changes,omitempty"` // by field
	Cut       bool            `json:"cut,omitempty"`     // some differences were too large to be kept
	Addresses []AddressChange `json:"addresses,omitempty"`
}

// AddressOwner is who has an address.
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

// String is the owner in words: "endpoint blue.default-web on h1"; that of nil is "free".
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

// AddressState is what is known of one address, now or at an earlier time: GET /api/v1/addresses.
type AddressState struct {
	Network string        `json:"network"` // "network.tenant"
	Address string        `json:"address"` // or "first-last" of a group's pool
	State   string        `json:"state"`   // kind of the owner, or free, reserved (a group's pool has it), outside (never given)
	Owner   *AddressOwner `json:"owner,omitempty"`
	Pool    string        `json:"pool,omitempty"`   // the group whose pool it belongs to
	Since   *time.Time    `json:"since,omitempty"`  // nil: longer than the history reaches
	By      *Actor        `json:"by,omitempty"`     // who brought it about
	Before  *AddressOwner `json:"before,omitempty"` // the last owner before, be it long ago
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

// ReleaseAnswer says whether there was something to release.
type ReleaseAnswer struct {
	Released bool `json:"released"`
}

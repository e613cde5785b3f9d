package model

import "time"

// Leadership is who leads, who led, and how the store is in which that is settled: GET /api/v1/leadership. How each
// master does otherwise is in its Node.
type Leadership struct {
	Key    string       `json:"key"`              // of the lock in the store
	Holder string       `json:"holder"`           // internal address "ip:port" of the lock's holder; "" when no one holds it
	Term   uint64       `json:"term"`             // store revision at which the holder took it: it numbers the term
	Terms  []LeaderTerm `json:"terms"`            // the last ones, the newest last
	Leases []KeyLease   `json:"leases"`           // of the lock and of all registrations, ordered by key; empty when the store does not tell
	Store  StoreState   `json:"store"`            // as the netmaster that answers sees it
	Reason string       `json:"reason,omitempty"` // why something of this is missing
}

// LeaderTerm is one time of leadership.
type LeaderTerm struct {
	Number uint64     `json:"number"`
	Leader string     `json:"leader"`          // internal address "ip:port"
	Since  time.Time  `json:"since"`           // by the leader's clock
	Until  *time.Time `json:"until,omitempty"` // when the next term began: the leader may have ended earlier; nil: it lasts
	Why    string     `json:"why,omitempty"`   // why the lock was there to be taken; "" of terms of older versions
}

// KeyLease is how long a key of the store lives on when no one refreshes its lease.
type KeyLease struct {
	Key     string  `json:"key"`
	Seconds float64 `json:"seconds"` // as granted
	Left    float64 `json:"left"`    // seconds
}

// StoreState is how the store is.
type StoreState struct {
	Name       string        `json:"name"`              // kind and endpoints
	ReadMillis float64       `json:"readMillis"`        // what one linearizable read took just now
	Members    []StoreMember `json:"members,omitempty"` // nil: the store does not tell
}

// StoreMember is one server of the store.
type StoreMember struct {
	Name    string  `json:"name"`
	Address string  `json:"address"`
	Leader  bool    `json:"leader,omitempty"` // of the store, which is not the leader of the cluster
	Version string  `json:"version,omitempty"`
	Bytes   int64   `json:"bytes,omitempty"` // of its database
	InUse   int64   `json:"inUse,omitempty"` // of these bytes; 0: it does not tell
	Quota   int64   `json:"quota,omitempty"` // bytes from which on it takes no changes; 0: it does not tell
	Space   string  `json:"space,omitempty"` // how much it has left: ample, low, full, or unknown when it does not tell its quota; "" when it did not answer
	Millis  float64 `json:"millis"`          // what asking it took
	Error   string  `json:"error,omitempty"` // why it did not answer
}

// HandoverRequest asks the leader to step down in favour of another master: POST /api/v1/leadership/handover.
type HandoverRequest struct {
	To string `json:"to,omitempty"` // name or address of a follower; "": the one that knows most
}

// Handover is the answer to a HandoverRequest, once the new leader accepts writes.
type Handover struct {
	From   string  `json:"from"`   // internal address "ip:port" of the leader that stepped down
	To     string  `json:"to"`     // of the one that leads now; the same as From when it led already
	Millis float64 `json:"millis"` // from the last write of the one to when the other accepts writes
}

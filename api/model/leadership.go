// SPDX-License-Identifier: Apache-2.0

package model

import "time"

// Leadership describes the leader, earlier terms, and the store with the lock: GET /api/v1/leadership. Further state of each master is in
// its Node.
type Leadership struct {
	Key    string       `json:"key"`              // of the lock in the store
	Holder string       `json:"holder"`           // internal address "ip:port" of the lock's holder; "" if it is free
	Term   uint64       `json:"term"`             // store revision at which the holder took it: it numbers the term
	Terms  []LeaderTerm `json:"terms"`            // the last ones, the newest last
	Leases []KeyLease   `json:"leases"`           // of the lock and of all registrations, ordered by key; empty if the store does not return them
	Store  StoreState   `json:"store"`            // as seen by the answering netmaster
	Reason string       `json:"reason,omitempty"` // why a part of this is missing
}

// LeaderTerm is one term of leadership.
type LeaderTerm struct {
	Number uint64     `json:"number"`
	Leader string     `json:"leader"`          // internal address "ip:port"
	Since  time.Time  `json:"since"`           // by the leader's clock
	Until  *time.Time `json:"until,omitempty"` // start of the next term: the leader may have ended earlier; nil: it lasts
	Why    string     `json:"why,omitempty"`   // why the lock was free; "" for terms of older versions
}

// end returns the time at which the term ended, or "now" if it lasts.
func (t *LeaderTerm) end() any {
	if t.Until == nil {
		return "now"
	}
	return *t.Until
}

// lasted returns the duration of the term in whole seconds, or "" if it lasts.
func (t *LeaderTerm) lasted() any {
	if t.Until == nil {
		return ""
	}
	return t.Until.Sub(t.Since).Round(time.Second)
}

// KeyLease is how long a key of the store lives if its lease is not renewed.
type KeyLease struct {
	Key     string  `json:"key"`
	Seconds float64 `json:"seconds"` // as granted
	Left    float64 `json:"left"`    // seconds
}

// StoreState is the state of the store.
type StoreState struct {
	Name       string        `json:"name"`              // kind and endpoints
	ReadMillis float64       `json:"readMillis"`        // duration of one linearizable read
	Members    []StoreMember `json:"members,omitempty"` // nil: unknown
}

// StoreMember is one server of the store.
type StoreMember struct {
	Name    string  `json:"name"`
	Address string  `json:"address"`
	Leader  bool    `json:"leader,omitempty"` // of the store, which is not the leader of the cluster
	Version string  `json:"version,omitempty"`
	Bytes   int64   `json:"bytes,omitempty"` // of its database
	InUse   int64   `json:"inUse,omitempty"` // part of these bytes; 0: unknown
	Quota   int64   `json:"quota,omitempty"` // bytes above which it refuses changes; 0: unknown
	Space   string  `json:"space,omitempty"` // remaining space: ample, low, full, or unknown without a quota; "" if it did not answer
	Millis  float64 `json:"millis"`          // duration of the request
	Error   string  `json:"error,omitempty"` // why it did not answer
}

// HandoverRequest makes the leader step down in favour of another master: POST /api/v1/leadership/handover.
type HandoverRequest struct {
	To string `json:"to,omitempty"` // name or address of a follower; "": the most up-to-date one
}

// Handover is the answer to a HandoverRequest, once the new leader accepts writes.
type Handover struct {
	From   string  `json:"from"`   // internal address "ip:port" of the leader that stepped down
	To     string  `json:"to"`     // of the new leader; the same as From if it led already
	Millis float64 `json:"millis"` // from the last write of the old leader until the new one accepts writes
}

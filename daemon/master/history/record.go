// SPDX-License-Identifier: Apache-2.0

// Package history records who changed which object, and how addresses changed owners.
//
// It is derived from the operations of a transaction and the previous contents of the store, not reported by the code that makes the
// change, so no committed change can be missed. Its records are stored in the same transaction as the changes that they describe. Read
// backwards from the present they yield every earlier state within their reach.
package history

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
)

// Keep bounds the history. The zero Keep has the defaults.
type Keep struct {
	Records int           // transactions; 0: DefaultRecords
	Age     time.Duration // 0: DefaultAge
	Now     func() time.Time
}

// Defaults of Keep.
const (
	DefaultRecords = 10000
	DefaultAge     = 30 * 24 * time.Hour
)

// WithDefaults fills in unset fields.
func (k Keep) WithDefaults() Keep {
	if k.Records == 0 {
		k.Records = DefaultRecords
	}
	if k.Age == 0 {
		k.Age = DefaultAge
	}
	if k.Now == nil {
		k.Now = time.Now
	}
	return k
}

// Record has the changes of one transaction, or a part of them. JSON names are short: a record is written with every endpoint.
type Record struct {
	Sequence uint64  `json:"-"` // in the key
	Revision uint64  `json:"-"` // of the store's item
	At       int64   `json:"t"` // Unix milliseconds, first in the text: see TimeOf
	Entries  []Entry `json:"e"`
}

// Entry has the changes of one request.
type Entry struct {
	By        *Actor    `json:"b,omitempty"` // nil: that of the previous entry
	Why       string    `json:"y,omitempty"`
	Changes   []Change  `json:"c,omitempty"`
	Addresses []Address `json:"a,omitempty"`
}

// Actor is model.Actor with short names. Earlier builds called the claim, u, a user.
type Actor struct {
	Claimed string `json:"u,omitempty"`
	Program string `json:"p,omitempty"`
	Address string `json:"a,omitempty"`
	Via     string `json:"v,omitempty"`
	Proved  string `json:"i,omitempty"`
	Proof   string `json:"h,omitempty"`
}

// Change is the change of one object.
type Change struct {
	Verb   string  `json:"v"` // one of the letters below
	Kind   string  `json:"k"`
	Key    string  `json:"n"`
	Fields []Field `json:"f,omitempty"`
	Cut    bool    `json:"x,omitempty"` // fields are missing or shortened
}

// Verbs of a Change as they are stored.
const (
	created = "+"
	updated = "~"
	deleted = "-"
)

// Field is one difference. Old is absent for a created object, New for a deleted one.
type Field struct {
	Name string `json:"n"`
	Old  any    `json:"o,omitempty"`
	New  any    `json:"w,omitempty"`
}

// Address is the change of owner of an address.
type Address struct {
	Network string `json:"n"`
	Address string `json:"a"`
	Was     *Owner `json:"o,omitempty"` // nil: no one
	Now     *Owner `json:"w,omitempty"`
}

// Owner is model.AddressOwner with short names. An empty Kind means the object of the entry's first change.
type Owner struct {
	Kind   string `json:"k,omitempty"`
	ID     string `json:"i,omitempty"`
	Host   string `json:"h,omitempty"`
	Until  int64  `json:"u,omitempty"` // Unix seconds
	Reason string `json:"r,omitempty"`
}

// Key returns the store key of a record. Keys are ordered as the records are.
func Key(sequence uint64) string { return fmt.Sprintf("%s%010d", record.History, sequence) }

// SequenceOf parses a Key; 0 if it is malformed.
func SequenceOf(key string) uint64 {
	n, err := strconv.ParseUint(strings.TrimPrefix(key, record.History), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Decode decodes a stored record. The bytes are untrusted: any other text is an error.
func Decode(key string, value []byte, revision uint64) (Record, error) {
	r := Record{Sequence: SequenceOf(key), Revision: revision}
	if r.Sequence == 0 {
		return r, fmt.Errorf("history record %s: the key has no number", key)
	}
	if err := json.Unmarshal(value, &r); err != nil {
		return r, fmt.Errorf("history record %s: %w", key, err)
	}
	return r, nil
}

// TimeOf reads the time of a stored record without decoding the rest; the zero time if it cannot be read.
func TimeOf(value []byte) time.Time {
	const head = `{"t":`
	if len(value) < len(head) || string(value[:len(head)]) != head {
		return time.Time{}
	}
	end := len(head)
	for end < len(value) && value[end] >= '0' && value[end] <= '9' {
		end++
	}
	ms, err := strconv.ParseInt(string(value[len(head):end]), 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// owner writes an Owner in full: own is the object of the entry's first change.
func (o *Owner) model(own *Change) *model.AddressOwner {
	if o == nil {
		return nil
	}
	out := &model.AddressOwner{Kind: o.Kind, ID: o.ID, Host: o.Host, Reason: o.Reason}
	if o.Kind == "" && own != nil {
		out.Kind, out.ID = own.Kind, own.Key
	}
	if o.Until != 0 {
		t := time.Unix(o.Until, 0).UTC()
		out.Until = &t
	}
	return out
}

func newActor(a model.Actor) *Actor {
	return &Actor{Claimed: a.Claimed, Program: a.Program, Address: a.Address, Via: a.Via, Proved: a.Proved, Proof: a.Proof}
}

func (a *Actor) model() model.Actor {
	if a == nil {
		return model.Actor{}
	}
	return model.Actor{Claimed: a.Claimed, Program: a.Program, Address: a.Address, Via: a.Via, Proved: a.Proved, Proof: a.Proof}
}

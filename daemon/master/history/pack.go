// SPDX-License-Identifier: Apache-2.0

package history

import (
	"encoding/json"
	"time"

	"github.com/contiv/contiv/api/model"
)

// maxRecord bounds the entries of one record, in bytes, well below the value size that any store permits.
const maxRecord = 64 << 10

// Packer collects the entries of one transaction into records.
type Packer struct {
	records [][]json.RawMessage
	last    model.Actor // of the open record
	size    int         // of the open record
	bytes   int         // of all
}

// Stamp is the author of a change, and the reason.
type Stamp struct {
	By  model.Actor
	Why string
}

// Records returns the number of records.
func (p *Packer) Records() int { return len(p.records) }

// Bytes returns the approximate size of the records, keys included.
func (p *Packer) Bytes() int { return p.bytes + 64*len(p.records) }

// Add adds the changes of a request, and returns a function that removes them again; those of several Adds must be called last first.
// Nothing is omitted: an entry that does not fit into one record continues in the next.
func (p *Packer) Add(e Entry, s Stamp) (back func()) {
	before := *p
	before.records = append([][]json.RawMessage{}, p.records...)
	for _, part := range split(e) {
		p.add(part, s)
	}
	return func() { *p = before }
}

func (p *Packer) add(e Entry, s Stamp) {
	e.Why, e.By = s.Why, nil
	if len(p.records) == 0 || p.last != s.By {
		e.By = newActor(s.By)
	}
	text, err := json.Marshal(e)
	if err != nil {
		return // every value of an entry came from JSON or is a string
	}
	if len(p.records) == 0 || p.size+len(text) > maxRecord {
		if e.By == nil {
			e.By = newActor(s.By)
			text, _ = json.Marshal(e)
		}
		p.records, p.size = append(p.records, nil), 0
	}
	last := len(p.records) - 1
	p.records[last] = append(p.records[last], text)
	p.last, p.size, p.bytes = s.By, p.size+len(text), p.bytes+len(text)
}

// Values returns the records as they are stored.
func (p *Packer) Values(at time.Time) [][]byte {
	out := make([][]byte, len(p.records))
	for i, entries := range p.records {
		// Cannot fail: numbers, and values that were encoded before.
		out[i], _ = json.Marshal(struct {
			At      int64             `json:"t"`
			Entries []json.RawMessage `json:"e"`
		}{at.UnixMilli(), entries})
	}
	return out
}

// Maximum numbers of changes and addresses of one entry, so that it stays below maxRecord: a change has at most maxChange bytes, an address
// about 500.
const (
	maxChanges   = maxRecord/maxChange - 2
	maxAddresses = 32
)

// split divides a large entry. Shortened owners stay with the change that they refer to.
func split(e Entry) []Entry {
	if len(e.Changes) <= maxChanges && len(e.Addresses) <= maxAddresses {
		return []Entry{e}
	}
	var out []Entry
	var own *Change
	if len(e.Changes) > 0 {
		own = &e.Changes[0]
	}
	for len(e.Changes) > 0 {
		n := min(len(e.Changes), maxChanges)
		out = append(out, Entry{Changes: e.Changes[:n]})
		e.Changes = e.Changes[n:]
	}
	for len(e.Addresses) > 0 {
		n := min(len(e.Addresses), maxAddresses)
		part := Entry{}
		for _, a := range e.Addresses[:n] {
			a.Was, a.Now = full(a.Was, own), full(a.Now, own)
			part.Addresses = append(part.Addresses, a)
		}
		out = append(out, part)
		e.Addresses = e.Addresses[n:]
	}
	return out
}

// full undoes short.
func full(o *Owner, own *Change) *Owner {
	if o == nil || o.Kind != "" || own == nil {
		return o
	}
	long := *o
	long.Kind, long.ID = own.Kind, own.Key
	return &long
}

// Brief returns the entry without the differences of fields, for a transaction that has no space for them.
func (e Entry) Brief() Entry {
	out := e
	out.Changes = nil
	for _, c := range e.Changes {
		if len(c.Fields) > 0 {
			c.Fields, c.Cut = nil, true
		}
		out.Changes = append(out.Changes, c)
	}
	return out
}

// Empty reports whether the entry has no changes.
func (e Entry) Empty() bool { return len(e.Changes)+len(e.Addresses) == 0 }

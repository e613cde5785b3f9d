package history

import (
	"encoding/json"
	"time"

	"github.com/contiv/contiv/api/model"
)

// maxRecord is how many bytes of entries one record takes, well below what any store permits of a value.
const maxRecord = 64 << 10

// Packer collects the entries of one transaction into records.
type Packer struct {
	records [][]json.RawMessage
	last    model.Actor // of the open record
	size    int         // of the open record
	bytes   int         // of all
}

// Stamp says who was it, and why.
type Stamp struct {
	By  model.Actor
	Why string
}

// Records is how many records there are.
func (p *Packer) Records() int { return len(p.records) }

// Bytes is about how much they take, keys included.
func (p *Packer) Bytes() int { return p.bytes + 64*len(p.records) }

// Add adds what a request did, and returns how to take it back, last first. Nothing is left out: what does not fit into
// one record continues in the next.
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

// Values are the records as they are stored.
func (p *Packer) Values(at time.Time) [][]byte {
	out := make([][]byte, len(p.records))
	for i, entries := range p.records {
		// Cannot fail: numbers, and what was encoded before.
		out[i], _ = json.Marshal(struct {
			At      int64             `json:"t"`
			Entries []json.RawMessage `json:"e"`
		}{at.UnixMilli(), entries})
	}
	return out
}

// Numbers of changes and addresses of one entry, such that it stays below maxRecord: a change has at most maxChange
// bytes, an address about 500.
const (
	maxChanges   = maxRecord/maxChange - 2
	maxAddresses = 32
)

// split divides a large entry. Owners that are written short stay with the change that they mean.
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

// Brief is an entry without the differences of fields, for a transaction that has no room for them.
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

// Empty reports whether the entry says nothing.
func (e Entry) Empty() bool { return len(e.Changes)+len(e.Addresses) == 0 }

// SPDX-License-Identifier: Apache-2.0

package history

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
)

// Log reads the history records of a catalog at one moment. It holds the undecoded records, which it shares with the catalog.
type Log struct {
	items []store.Item // oldest first, none older than the limit
	whole bool         // nothing has been dropped before items
}

// Open returns the log of a view.
func Open(v *catalog.View, keep Keep) Log {
	keep = keep.WithDefaults()
	items := slices.AppendSeq(make([]store.Item, 0, v.CountHistory()), v.History())
	oldest := keep.Now().Add(-keep.Age)
	i := 0
	for i < len(items) && TimeOf(items[i].Value).Before(oldest) {
		i++
	}
	items = items[max(i, len(items)-keep.Records):]
	return Log{items: items, whole: len(items) == 0 && i == 0 || len(items) > 0 && SequenceOf(items[0].Key) == 1}
}

// unbroken returns the part of the log after the last dropped record. Earlier records are incomplete, so earlier states do not follow from
// them.
func (l Log) unbroken() Log {
	for i := len(l.items) - 1; i > 0; i-- {
		if SequenceOf(l.items[i].Key) != SequenceOf(l.items[i-1].Key)+1 {
			return Log{items: l.items[i:]}
		}
	}
	return l
}

// Moment is a point in the past: a store revision, or a time. The zero Moment is now.
type Moment struct {
	Revision uint64
	Time     time.Time
}

// ParseMoment parses a revision or a time of RFC 3339; "" is now.
func ParseMoment(text string) (Moment, error) {
	if text == "" {
		return Moment{}, nil
	}
	if rev, err := strconv.ParseUint(text, 10, 64); err == nil && rev > 0 {
		return Moment{Revision: rev}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return Moment{}, model.Errorf(model.CodeInvalid, "at", "%q is no moment", text).Try("it is a revision, such as 1234, or a time, such as 2030-01-02T15:04:05Z")
	}
	return Moment{Time: t}, nil
}

// IsNow reports whether m is the zero Moment.
func (m Moment) IsNow() bool { return m.Revision == 0 && m.Time.IsZero() }

// Until returns the part of the log that is not after m.
func (l Log) Until(m Moment) Log {
	if i := l.after(m); i >= 0 {
		l.items = l.items[:i]
	}
	return l
}

// after returns the index of the first record after m; -1: none is.
func (l Log) after(m Moment) int {
	if m.IsNow() {
		return -1
	}
	return slices.IndexFunc(l.items, func(it store.Item) bool {
		if m.Revision > 0 {
			return uint64(it.Revision) > m.Revision
		}
		return TimeOf(it.Value).After(m.Time)
	})
}

// Position is where a moment lies in the history.
type Position struct {
	Sequence uint64    // of the last record that is not after it; 0: none is kept
	Revision uint64    // of that record
	Time     time.Time // the moment, or for one that is a revision the time of that record
	Newest   bool      // no record is after it
}

// Position returns where a moment lies. The error, which names field at, is that of a moment to which the history does not reach back.
func (l Log) Position(m Moment) (Position, error) {
	l = l.unbroken()
	next, err := l.since(m)
	if err != nil {
		return Position{}, err
	}
	p := Position{Time: m.Time, Newest: next == len(l.items)}
	if next > 0 {
		last := l.items[next-1]
		p.Sequence, p.Revision = SequenceOf(last.Key), uint64(last.Revision)
		if p.Time.IsZero() {
			p.Time = TimeOf(last.Value)
		}
	}
	return p, nil
}

// since returns the index of the first record after m. A leader's clock may be behind that of the previous leader, so every record that
// follows one after m is also after m.
func (l Log) since(m Moment) (int, error) {
	if m.IsNow() {
		return len(l.items), nil
	}
	i := l.after(m)
	switch {
	case i < 0 && len(l.items) > 0 || l.whole:
		if i < 0 {
			i = len(l.items)
		}
		return i, nil
	case i > 0:
		return i, nil
	case i == 0 && m.Revision > 0 && m.Revision+1 == uint64(l.items[0].Revision):
		return 0, nil
	}
	e := model.Errorf(model.CodeNotFound, "at", "the history does not reach back to that moment")
	if len(l.items) == 0 {
		return 0, e.Try("nothing is kept any more; netmaster's --history-age says for how long")
	}
	return 0, e.Try("its first record without a gap after it is of %s, revision %d; netmaster's --history-limit and --history-age limit it",
		TimeOf(l.items[0].Value).Format(time.RFC3339), l.items[0].Revision)
}

// backwards yields the records from index end-1 down to 0 whose text contains every needle. It skips unreadable records.
func (l Log) backwards(end int, needles ...string) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for i := end - 1; i >= 0; i-- {
			it := l.items[i]
			if slices.ContainsFunc(needles, func(n string) bool { return !bytes.Contains(it.Value, []byte(n)) }) {
				continue
			}
			r, err := Decode(it.Key, it.Value, uint64(it.Revision))
			if err == nil && !yield(r) {
				return
			}
		}
	}
}

// quoted returns the form of a string in a record; "" for the empty string, which appears anywhere.
func quoted(s string) string {
	if s == "" {
		return ""
	}
	text, _ := json.Marshal(s)
	return string(text)
}

// Filter selects changes. An empty field selects all.
type Filter struct {
	Kind, Key string // for an endpoint, its name is enough
	By        string // a part of the claimed user, the program or the address
	Since     time.Time
	Limit     int // maximum number of changes, the newest; 0: all
	// Sees reports whether the change of an object, or of a kind that only history has, may be shown; nil: all may.
	Sees func(kind, key string) bool
}

func (f Filter) accepts(e *model.HistoryEntry) bool {
	by := func(s string) bool { return strings.Contains(s, f.By) }
	return (f.Kind == "" || f.Kind == e.Kind) && (f.Key == "" || f.Key == e.Key || f.Kind == model.KindEndpoint().Name && (identity.Ends(e.Key, f.Key) || strings.HasSuffix(e.Key, "-"+f.Key))) &&
		(by(e.By.Proved) || by(e.By.Claimed) || by(e.By.Program) || by(e.By.Address)) && !e.Time.Before(f.Since) && (f.Sees == nil || f.Sees(e.Kind, e.Key))
}

// List returns the changes that f selects, the newest last.
func (l Log) List(f Filter) []model.HistoryEntry {
	var out []model.HistoryEntry
	needle := strings.Trim(quoted(f.Key), `"`)
	if f.Kind == KindAddress {
		needle = "" // its key is made of two members
	}
	for r := range l.backwards(len(l.items), needle) {
		entries := r.entries()
		for i := len(entries) - 1; i >= 0; i-- {
			if !f.accepts(&entries[i]) {
				continue
			}
			out = append(out, entries[i])
			if len(out) == f.Limit {
				slices.Reverse(out)
				return out
			}
		}
	}
	slices.Reverse(out)
	return out
}

// Last returns the newest change of any of some objects; ok is false if none is recorded.
func (l Log) Last(of ...Name) (last model.HistoryEntry, ok bool) {
	needles := make([][]byte, len(of))
	for i, n := range of {
		needles[i] = []byte(strings.Trim(quoted(n.Key), `"`))
	}
	for i := len(l.items) - 1; i >= 0; i-- {
		it := l.items[i]
		if !slices.ContainsFunc(needles, func(n []byte) bool { return bytes.Contains(it.Value, n) }) {
			continue
		}
		r, err := Decode(it.Key, it.Value, uint64(it.Revision))
		if err != nil {
			continue
		}
		entries := r.entries()
		for _, e := range slices.Backward(entries) {
			if slices.Contains(of, Name{e.Kind, e.Key}) {
				return e, true
			}
		}
	}
	return last, false
}

// KindAddress is the kind of changes of addresses that follow from no object's change: holds, quarantines, releases.
const KindAddress = "address"

// entries returns the changes of a record, in order.
func (r *Record) entries() []model.HistoryEntry {
	var out []model.HistoryEntry
	by := model.Actor{}
	for _, e := range r.Entries {
		if e.By != nil {
			by = e.By.model()
		}
		base := model.HistoryEntry{Sequence: r.Sequence, Revision: r.Revision, Time: r.time(), By: by, Why: e.Why}
		moves := e.moves()
		for i, c := range e.Changes {
			one := base
			one.Verb, one.Kind, one.Key, one.Cut = c.verb(), c.Kind, c.Key, c.Cut
			for _, f := range c.Fields {
				one.Changes = append(one.Changes, model.Change{Field: f.Name, Old: f.Old, New: f.New})
			}
			if i == 0 {
				one.Addresses = moves
			}
			out = append(out, one)
		}
		if len(e.Changes) > 0 {
			continue
		}
		for _, m := range moves {
			one := base
			one.Verb, one.Kind, one.Key, one.Addresses = m.Verb, KindAddress, m.Network+"/"+m.Address, []model.AddressChange{m}
			out = append(out, one)
		}
	}
	return out
}

// verb returns the word for a stored verb.
func (c *Change) verb() string {
	switch c.Verb {
	case created:
		return "create"
	case deleted:
		return "delete"
	}
	return "update"
}

func (r *Record) time() time.Time { return time.UnixMilli(r.At).UTC() }

// ObjectAt returns an earlier state of an object, as JSON members; nil if it did not exist. present is its current value in the store.
func (l Log) ObjectAt(kind, key string, present []byte, m Moment) (map[string]any, error) {
	name := Name{kind, key}
	changed, err := l.Earlier(m, func(n Name) bool { return n == name }, func(Name) []byte { return present }, quoted(key))
	if err != nil {
		return nil, err
	}
	if was, ok := changed[name]; ok {
		return was.Fields, nil
	}
	if present == nil {
		return nil, nil
	}
	return members(kind, present), nil
}

// Name names an object.
type Name struct{ Kind, Key string }

// ObjectsAt returns the earlier states of all objects of some kinds. present has their current values in the store; ObjectsAt changes it.
func (l Log) ObjectsAt(kinds []string, present map[Name][]byte, m Moment) (map[Name]map[string]any, error) {
	changed, err := l.Earlier(m, func(n Name) bool { return slices.Contains(kinds, n.Kind) }, func(n Name) []byte { return present[n] })
	if err != nil {
		return nil, err
	}
	states := map[Name]map[string]any{}
	for n, value := range present {
		if _, ok := changed[n]; !ok {
			states[n] = members(n.Kind, value)
		}
	}
	for n, was := range changed {
		if was.Fields != nil {
			states[n] = was.Fields
		}
	}
	return states, nil
}

// Earlier is an object at an earlier moment.
type Earlier struct {
	Fields map[string]any // nil: it did not exist
	Same   bool           // it was neither created nor deleted since
}

// Earlier returns the objects that wanted selects and that changed after m, as they were at m. present returns their current values in the
// store; only records that contain the needles are read. The error names field at, if that is not known.
func (l Log) Earlier(m Moment, wanted func(Name) bool, present func(Name) []byte, needles ...string) (map[Name]Earlier, error) {
	l = l.unbroken()
	from, err := l.since(m)
	if err != nil {
		return nil, err
	}
	states, exists, replaced := map[Name]map[string]any{}, map[Name]bool{}, map[Name]bool{}
	tail := Log{items: l.items[from:]}
	for r := range tail.backwards(len(tail.items), needles...) {
		if r.Revision <= m.Revision { // two transactions may be applied in another order than they were sent
			continue
		}
		for _, e := range slices.Backward(r.Entries) {
			for j := len(e.Changes) - 1; j >= 0; j-- {
				c := &e.Changes[j]
				n := Name{c.Kind, c.Key}
				if !wanted(n) {
					continue
				}
				if c.Cut && c.Verb != created {
					return nil, model.Errorf(model.CodeTooLarge, "at", "%s %s at that moment is not known: the change at revision %d was too large to be kept whole", n.Kind, n.Key, r.Revision).
						Try("choose a moment after revision %d", r.Revision)
				}
				if states[n] == nil {
					states[n] = members(n.Kind, present(n))
				}
				exists[n] = c.Verb != created
				replaced[n] = replaced[n] || c.Verb != updated
				c.undo(states[n])
			}
		}
	}
	out := make(map[Name]Earlier, len(states))
	for n, fields := range states {
		if !exists[n] {
			fields = nil
		}
		out[n] = Earlier{Fields: fields, Same: !replaced[n]}
	}
	return out, nil
}

func (c *Change) undo(state map[string]any) {
	if c.Verb == created {
		clear(state)
		return
	}
	for _, f := range c.Fields {
		if f.Old == nil {
			delete(state, f.Name)
		} else {
			state[f.Name] = f.Old
		}
	}
}

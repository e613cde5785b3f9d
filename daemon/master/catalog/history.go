package catalog

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/store"
)

// writer is of whom a record of what happened counts: an address that requests come from, and what they concern first. Names that
// requests give themselves do not count, for they may give themselves any.
type writer struct{ address, kind string }

// putHistory takes in a record of what happened, undecoded but for its writer. The trail is in order of the keys, which is that of time.
func (v *View) putHistory(it store.Item) error {
	i, found := v.searchHistory(it.Key)
	if found {
		v.unwrite(v.trail[i])
		v.trail[i] = it
	} else {
		v.trail = slices.Insert(v.trail, i, it)
	}
	w := writerOf(it.Value)
	keys := v.writers[w]
	at, _ := slices.BinarySearch(keys, it.Key)
	v.writers[w] = slices.Insert(keys, at, it.Key)
	return nil
}

func (v *View) dropHistory(key string) {
	i, found := v.searchHistory(key)
	if !found {
		return
	}
	v.unwrite(v.trail[i])
	if i == 0 {
		v.trail[0] = store.Item{}
		v.trail = v.trail[1:]
		return
	}
	v.trail = slices.Delete(v.trail, i, i+1)
}

// unwrite takes a record from its writer.
func (v *View) unwrite(it store.Item) {
	w := writerOf(it.Value)
	keys := v.writers[w]
	at, found := slices.BinarySearch(keys, it.Key)
	switch {
	case !found:
	case len(keys) == 1:
		delete(v.writers, w)
	case at == 0: // as a rule
		v.writers[w] = keys[1:]
	default:
		v.writers[w] = slices.Delete(keys, at, at+1)
	}
}

// writerOf reads who wrote a record; what cannot be read is nobody's.
func writerOf(value []byte) (w writer) {
	var r struct {
		Entries []struct {
			By struct {
				Address string `json:"a"`
			} `json:"b"`
			Changes []struct {
				Kind string `json:"k"`
			} `json:"c"`
		} `json:"e"`
	}
	if json.Unmarshal(value, &r) != nil || len(r.Entries) == 0 {
		return w
	}
	w.address = r.Entries[0].By.Address
	if c := r.Entries[0].Changes; len(c) > 0 {
		w.kind = c[0].Kind
	}
	return w
}

func (v *View) searchHistory(key string) (int, bool) {
	if n := len(v.trail); n == 0 || v.trail[n-1].Key < key {
		return n, false
	}
	return slices.BinarySearchFunc(v.trail, key, func(it store.Item, key string) int { return strings.Compare(it.Key, key) })
}

// History is the trail of records, oldest first; see package history. The caller must not change it, and may keep a clone.
func (v *View) History() []store.Item { return v.trail }

// SpareHistory are the keys of n records to drop, when there are too many: each time the oldest of who has most, so that nobody can
// push out the records of others by writing much. Fewer when there are not so many.
func (v *View) SpareHistory(n int) []string {
	var out []string
	taken := map[writer]int{}
	for range n {
		var most writer
		left, oldest := 0, ""
		for w, keys := range v.writers {
			rest := keys[taken[w]:]
			if len(rest) > 0 && cmp.Or(cmp.Compare(len(rest), left), strings.Compare(oldest, rest[0])) > 0 {
				most, left, oldest = w, len(rest), rest[0]
			}
		}
		if left == 0 {
			break
		}
		taken[most]++
		out = append(out, oldest)
	}
	return out
}

// Value is what the store holds at key, nil when there is nothing. The caller must not change it.
func (v *View) Value(key string) []byte { return v.known[key].Value }

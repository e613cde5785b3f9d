package catalog

import (
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/store"
)

// putHistory takes in a record of what happened, undecoded. The trail is in order of the keys, which is that of time.
func (v *View) putHistory(it store.Item) error {
	i, found := v.searchHistory(it.Key)
	if found {
		v.trail[i] = it
		return nil
	}
	v.trail = slices.Insert(v.trail, i, it)
	return nil
}

func (v *View) dropHistory(key string) {
	i, found := v.searchHistory(key)
	switch {
	case !found:
	case i == 0: // as a rule: the oldest go first
		v.trail[0] = store.Item{}
		v.trail = v.trail[1:]
	default:
		v.trail = slices.Delete(v.trail, i, i+1)
	}
}

func (v *View) searchHistory(key string) (int, bool) {
	if n := len(v.trail); n == 0 || v.trail[n-1].Key < key {
		return n, false
	}
	return slices.BinarySearchFunc(v.trail, key, func(it store.Item, key string) int { return strings.Compare(it.Key, key) })
}

// History is the trail of records, oldest first; see package history. The caller must not change it, and may keep a clone.
func (v *View) History() []store.Item { return v.trail }

// Value is what the store holds at key, nil when there is nothing. The caller must not change it.
func (v *View) Value(key string) []byte { return v.known[key].Value }

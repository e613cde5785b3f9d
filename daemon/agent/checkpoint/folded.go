// SPDX-License-Identifier: Apache-2.0

package checkpoint

import (
	"cmp"
	"maps"
	"slices"

	"github.com/contiv/contiv/daemon/channel"
)

// folded is the combined state of all batches.
type folded struct {
	shards map[channel.Shard]map[string]channel.Item
	mark   channel.Mark
}

func newFolded() *folded { return &folded{shards: map[channel.Shard]map[string]channel.Item{}} }

// apply applies a batch.
func (f *folded) apply(b *channel.Batch) {
	if b.Reset {
		clear(f.shards)
	}
	for i := range b.Updates {
		u := &b.Updates[i]
		items := f.shards[u.Shard]
		if items == nil || u.Full {
			items = make(map[string]channel.Item, len(u.Items))
			f.shards[u.Shard] = items
		}
		for _, key := range u.Gone {
			delete(items, key)
		}
		for _, item := range u.Items {
			items[item.Key] = item
		}
	}
	for _, name := range b.Left {
		delete(f.shards, name)
	}
	f.mark = b.Mark
	f.mark.Reset = false
}

// batch returns the state as a batch with complete shards.
func (f *folded) batch() channel.Batch {
	out := channel.Batch{Mark: f.mark}
	for _, name := range slices.Sorted(maps.Keys(f.shards)) {
		items := slices.Collect(maps.Values(f.shards[name]))
		slices.SortFunc(items, func(a, b channel.Item) int { return cmp.Compare(a.Key, b.Key) })
		out.Updates = append(out.Updates, channel.Update{Shard: name, Full: true, Items: items})
	}
	return out
}

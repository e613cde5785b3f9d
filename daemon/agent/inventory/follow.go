// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// yielded is a result of the Follower.
type yielded struct {
	batch channel.Batch
	err   error
}

// Follow yields the netmasters' batches, merged with what the host carries. It must be called once, and blocks until ctx ends.
func (k *Merger) Follow(ctx context.Context) iter.Seq2[channel.Batch, error] {
	return func(yield func(channel.Batch, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		from := make(chan yielded)
		go func() {
			defer close(from)
			for b, err := range k.Follower.Follow(ctx) {
				select {
				case from <- yielded{b, err}:
				case <-ctx.Done():
					return
				}
			}
		}()
		tick := time.NewTicker(offerInterval)
		defer tick.Stop()
		var mark channel.Mark
		for {
			select {
			case y, more := <-from:
				if !more {
					return
				}
				if y.err == nil {
					k.join(&y.batch)
					mark = y.batch.Mark
					mark.Reset = false
				}
				if !yield(y.batch, y.err) {
					return
				}
			case <-tick.C:
				if mark.Revision == 0 {
					continue
				}
				if b := k.review(ctx); len(b.Updates) > 0 {
					if b.Mark = mark; !yield(b, nil) {
						return
					}
				}
			}
		}
	}
}

// join adds to a batch the records that the host carries and the batch would delete, and drops those that netmasters have sent meanwhile.
func (k *Merger) join(b *channel.Batch) {
	attached := k.attached()
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.received
	if b.Reset {
		before = k.ported()
		maps.Copy(before, k.received)
		k.received = map[string]channel.Item{}
	}
	for i := range b.Updates {
		k.learn(&b.Updates[i])
	}
	if b.Reset {
		k.keep(before, attached)
		if len(k.kept) > 0 {
			b.Updates = append(b.Updates, channel.Update{Shard: Shard, Full: true, Items: slices.Collect(maps.Values(k.kept))})
		}
	} else if gone := k.known(); len(gone) > 0 {
		b.Updates = append(b.Updates, channel.Update{Shard: Shard, Gone: gone})
	}
	k.hide(b)
}

func (k *Merger) attached() map[string]struct{} {
	out := map[string]struct{}{}
	for _, id := range k.Attached() {
		out[id] = struct{}{}
	}
	return out
}

// keep keeps the endpoints that the host carries and a store does not know, with the records on which they depend. The caller holds k.mu.
func (k *Merger) keep(before map[string]channel.Item, attached map[string]struct{}) {
	maps.Copy(before, k.kept)
	k.kept = map[string]channel.Item{}
	for key, item := range before {
		id, is := strings.CutPrefix(key, record.Endpoints)
		_, here := attached[id]
		_, told := k.received[key]
		_, dropped := k.dropped[id]
		var e record.Endpoint
		if !is || !here || told || dropped || json.Unmarshal(item.Value, &e) != nil {
			continue
		}
		k.kept[key] = item
		for _, ground := range groundsOf(&e) {
			_, told := k.received[ground]
			if was, had := before[ground]; had && !told {
				k.kept[ground] = was
			}
		}
	}
	if len(k.kept) > 0 {
		k.Log.Warn("endpoints on this host are unknown to the store: they keep their network until an operator decides (netctl adopt ls)", "records", len(k.kept))
	}
}

// known drops what netmasters now send, and returns its keys. The caller holds k.mu.
func (k *Merger) known() (gone []string) {
	for key := range k.kept {
		if _, told := k.received[key]; told {
			delete(k.kept, key)
			gone = append(gone, key)
		}
	}
	slices.Sort(gone)
	return gone
}

// place is an address on a network.
type place struct {
	network identity.Network
	addr    netip.Addr
}

// hide removes from a batch the endpoints of other hosts whose addresses endpoints of this host have: the switch can reach only one of
// them. The caller holds k.mu.
func (k *Merger) hide(b *channel.Batch) {
	taken := map[place]string{}
	for key, item := range k.kept {
		var e record.Endpoint
		if !strings.HasPrefix(key, record.Endpoints) || json.Unmarshal(item.Value, &e) != nil {
			continue
		}
		for _, a := range []netip.Addr{e.IP, e.IP6} {
			if a.IsValid() {
				taken[place{e.ID.Network, a}] = key
			}
		}
	}
	if len(taken) == 0 {
		return
	}
	for i := range b.Updates {
		u := &b.Updates[i]
		if u.Shard == Shard {
			continue
		}
		u.Items = slices.DeleteFunc(slices.Clone(u.Items), func(item channel.Item) bool {
			var e record.Endpoint
			if !strings.HasPrefix(item.Key, record.Endpoints) || json.Unmarshal(item.Value, &e) != nil {
				return false
			}
			for _, a := range []netip.Addr{e.IP, e.IP6} {
				if by, is := taken[place{e.ID.Network, a}]; is && by != item.Key {
					return true
				}
			}
			return false
		})
	}
}

// review offers again what contradicts the store, and returns what has ended: by an operator's decision, or by itself.
func (k *Merger) review(ctx context.Context) (b channel.Batch) {
	k.mu.Lock()
	n := len(k.kept)
	k.mu.Unlock()
	if n == 0 {
		return b
	}
	if err := k.Offer(ctx); err != nil {
		k.Log.Debug("cannot offer this host's endpoints to a netmaster", "error", err)
		return b
	}
	attached := k.attached()
	k.mu.Lock()
	defer k.mu.Unlock()
	needed, tenants := map[string]struct{}{}, map[string]struct{}{}
	for key, item := range k.kept {
		id, is := strings.CutPrefix(key, record.Endpoints)
		var e record.Endpoint
		if !is || json.Unmarshal(item.Value, &e) != nil {
			continue
		}
		_, here := attached[id]
		if _, dropped := k.dropped[id]; dropped || !here {
			tenants[e.ID.Tenant] = struct{}{}
			continue
		}
		needed[key] = struct{}{}
		for _, ground := range groundsOf(&e) {
			needed[ground] = struct{}{}
		}
	}
	var gone []string
	for key := range k.kept {
		if _, is := needed[key]; !is {
			delete(k.kept, key)
			gone = append(gone, key)
		}
	}
	if len(gone) > 0 {
		slices.Sort(gone)
		b.Updates = []channel.Update{{Shard: Shard, Gone: gone}}
	}
	for name := range tenants { // some records of them were hidden
		k.Follower.Retell(channel.Tenant(name))
	}
	return b
}

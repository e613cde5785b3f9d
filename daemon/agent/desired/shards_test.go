// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/contiv/contiv/daemon/channel"
)

// After any batch - steps that undo each other, shards that arrive complete or are removed, records in several shards - the state equals that
// of the shards.
func TestShards(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	s := newShards()
	truth := map[channel.Shard]map[string]string{} // what the agent has received
	known := map[string]string{}                   // what it makes of that
	name := func() channel.Shard { return channel.Shard(fmt.Sprint("s", random.IntN(3))) }
	value := map[string]string{} // of a key, the same in all shards
	for step := range 5000 {
		var b channel.Batch
		for range 1 + random.IntN(4) {
			u := channel.Update{Shard: name()}
			have := truth[u.Shard]
			if u.Full = have == nil || random.IntN(8) == 0; u.Full {
				have = map[string]string{}
				truth[u.Shard] = have
			}
			for range random.IntN(4) {
				key := fmt.Sprint("k", random.IntN(6))
				if _, is := have[key]; is && !u.Full && random.IntN(2) == 0 {
					delete(have, key)
					u.Gone = append(u.Gone, key)
					continue
				}
				if random.IntN(2) == 0 || value[key] == "" {
					value[key] = fmt.Sprint("v", step)
				}
				have[key] = value[key]
				u.Items = append(u.Items, channel.Item{Key: key, Value: []byte(value[key])})
			}
			for i := range u.Items { // a key that comes and goes in one update is one that goes
				for _, key := range u.Gone {
					if u.Items[i].Key == key {
						u.Items[i].Key = "-"
						have["-"] = string(u.Items[i].Value)
						delete(have, key)
					}
				}
			}
			b.Updates = append(b.Updates, u)
		}
		if left := name(); random.IntN(10) == 0 {
			b.Left = append(b.Left, left)
			delete(truth, left)
		}
		come, gone := s.apply(b)
		for _, key := range gone {
			delete(known, key)
		}
		for _, i := range come {
			known[i.Key] = string(i.Value)
		}
		want := map[string]struct{}{}
		for _, have := range truth {
			for key := range have {
				want[key] = struct{}{}
			}
		}
		sums := map[channel.Shard]channel.Digest{}
		for name, have := range truth {
			var sum channel.Digest
			for key, value := range have {
				sum.Add(key, []byte(value))
			}
			if len(have) > 0 {
				sums[name] = sum
			}
		}
		if got := s.held(); !maps.Equal(got, sums) {
			t.Fatalf("step %d: want the digests of the sent records, %v, got %v", step, sums, got)
		}
		if got := maps.Collect(maps.All(known)); len(got) != len(want) {
			t.Fatalf("step %d: want %d records, got %v", step, len(want), got)
		}
		for key := range want {
			if _, is := known[key]; !is {
				t.Fatalf("step %d: %s is not known", step, key)
			}
		}
	}
}

// A container that is created and deleted while a host receives nothing is not in its state afterwards.
func TestComeAndGone(t *testing.T) {
	s := newShards()
	item := channel.Item{Key: "k", Value: []byte("v")}
	come, gone := s.apply(channel.Batch{Updates: []channel.Update{{Shard: "s", Full: true}, {Shard: "s", Items: []channel.Item{item}}, {Shard: "s", Gone: []string{"k"}}}})
	if len(come) != 0 || len(gone) != 1 {
		t.Errorf("come and gone: want it gone, got %v and %v", come, gone)
	}
	come, gone = s.apply(channel.Batch{Updates: []channel.Update{{Shard: "s", Gone: []string{"k"}}, {Shard: "s", Items: []channel.Item{item}}}})
	if len(come) != 1 || len(gone) != 0 {
		t.Errorf("gone and come: want it come, got %v and %v", come, gone)
	}
}

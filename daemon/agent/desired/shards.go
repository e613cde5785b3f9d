package desired

import (
	"hash/maphash"
	"slices"

	"github.com/contiv/contiv/daemon/channel"
)

// shards is what the host has been told of each shard: keys, with hashes of their values. A record may be in several shards.
type shards struct {
	seed maphash.Seed
	have map[channel.Shard]map[string]uint64
}

func newShards() shards {
	return shards{seed: maphash.MakeSeed(), have: map[channel.Shard]map[string]uint64{}}
}

// take takes in a batch, and returns the records that have come or changed with it, the last of a key as it is now, and the keys of those that are
// in no shard any more. No key is in both. It takes the items out of the batch, so that the memory of each can be used again when it has been decoded.
func (s *shards) take(b channel.Batch) (come []channel.Item, gone []string) {
	var left []string
	told := map[channel.Shard]struct{}{}
	for i := range b.Updates {
		u := &b.Updates[i]
		told[u.Shard] = struct{}{}
		if u.Full {
			left = append(left, s.absent(u)...)
		}
		for _, key := range u.Gone {
			delete(s.have[u.Shard], key)
			left = append(left, key)
		}
		come = s.put(u, come)
		u.Items = nil
	}
	for _, name := range b.Left {
		left = append(left, s.drop(name)...)
	}
	if b.Reset {
		for name := range s.have {
			if _, is := told[name]; !is {
				left = append(left, s.drop(name)...)
			}
		}
	}
	lost := map[string]struct{}{}
	for _, key := range left {
		if _, noted := lost[key]; !noted && !s.has(key) {
			lost[key] = struct{}{}
			gone = append(gone, key)
		}
	}
	if len(gone) > 0 { // a batch of several steps may tell of what has come and gone
		come = slices.DeleteFunc(come, func(i channel.Item) bool {
			_, is := lost[i.Key]
			return is
		})
	}
	return come, gone
}

// put takes in what an update puts, and adds what of it is new.
func (s *shards) put(u *channel.Update, come []channel.Item) []channel.Item {
	have := s.have[u.Shard]
	if have == nil {
		have = make(map[string]uint64, len(u.Items))
		s.have[u.Shard] = have
		come = slices.Grow(come, len(u.Items))
	}
	for _, i := range u.Items {
		sum := maphash.Bytes(s.seed, i.Value)
		if was, is := have[i.Key]; !is || was != sum {
			have[i.Key] = sum
			come = append(come, i)
		}
	}
	return come
}

// absent forgets what is not in a full update, and returns its keys.
func (s *shards) absent(u *channel.Update) (keys []string) {
	have := s.have[u.Shard]
	if len(have) == 0 {
		return nil
	}
	now := make(map[string]struct{}, len(u.Items))
	for _, i := range u.Items {
		now[i.Key] = struct{}{}
	}
	for key := range have {
		if _, is := now[key]; !is {
			delete(have, key)
			keys = append(keys, key)
		}
	}
	return keys
}

// drop forgets a shard, and returns the keys that it had.
func (s *shards) drop(name channel.Shard) (keys []string) {
	for key := range s.have[name] {
		keys = append(keys, key)
	}
	delete(s.have, name)
	return keys
}

// has tells whether a shard has a key.
func (s *shards) has(key string) bool {
	for _, have := range s.have {
		if _, is := have[key]; is {
			return true
		}
	}
	return false
}

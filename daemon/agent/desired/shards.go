// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"hash/maphash"
	"slices"

	"github.com/contiv/contiv/daemon/channel"
)

// shards has the records of each shard that the host has received: keys, with hashes of their values. A record may be in several shards.
type shards struct {
	seed maphash.Seed
	have map[channel.Shard]map[string]hashes
	sums map[channel.Shard]channel.Digest // of the same shards
}

// hashes are those of a value: one, which no outsider can predict, detects a value that is sent again; the other is for netmasters.
type hashes struct {
	own    uint64
	digest channel.Digest // of the record
}

func newShards() shards {
	return shards{seed: maphash.MakeSeed(), have: map[channel.Shard]map[string]hashes{}, sums: map[channel.Shard]channel.Digest{}}
}

// apply applies a batch. It returns the created and changed records, each with its latest value, and the keys of records that are no longer
// in any shard. No key is in both. It removes the items from the batch, so that their memory can be reused after decoding.
func (s *shards) apply(b channel.Batch) (come []channel.Item, gone []string) {
	var left []string
	told := map[channel.Shard]struct{}{}
	for i := range b.Updates {
		u := &b.Updates[i]
		told[u.Shard] = struct{}{}
		if u.Full {
			left = append(left, s.absent(u)...)
		}
		for _, key := range u.Gone {
			s.forget(u.Shard, key)
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
	if len(gone) > 0 { // a batch of several steps may create and delete a key
		come = slices.DeleteFunc(come, func(i channel.Item) bool {
			_, is := lost[i.Key]
			return is
		})
	}
	return come, gone
}

// put applies the items of an update, and appends the new ones to come. The digest of a shard that arrives as a whole is recomputed.
func (s *shards) put(u *channel.Update, come []channel.Item) []channel.Item {
	have := s.have[u.Shard]
	if have == nil {
		have = make(map[string]hashes, len(u.Items))
		s.have[u.Shard] = have
		come = slices.Grow(come, len(u.Items))
	}
	sum := s.sums[u.Shard]
	for _, i := range u.Items {
		own := maphash.Bytes(s.seed, i.Value)
		was, is := have[i.Key]
		same := is && was.own == own
		if same && !u.Full {
			continue
		}
		now := hashes{own, channel.DigestOf(i.Key, i.Value)}
		have[i.Key] = now
		sum += now.digest - was.digest
		if !same {
			come = append(come, i)
		}
	}
	if u.Full {
		sum = 0
		for _, one := range have {
			sum += one.digest
		}
	}
	s.sums[u.Shard] = sum
	return come
}

// forget removes a record of a shard.
func (s *shards) forget(name channel.Shard, key string) {
	if was, is := s.have[name][key]; is {
		s.sums[name] -= was.digest
		delete(s.have[name], key)
	}
}

// held returns the digest of each shard that has records.
func (s *shards) held() map[channel.Shard]channel.Digest {
	out := make(map[channel.Shard]channel.Digest, len(s.sums))
	for name, sum := range s.sums {
		if len(s.have[name]) > 0 {
			out[name] = sum
		}
	}
	return out
}

// absent removes the records that a full update lacks, and returns their keys.
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
			s.forget(u.Shard, key)
			keys = append(keys, key)
		}
	}
	return keys
}

// drop removes a shard, and returns its keys.
func (s *shards) drop(name channel.Shard) (keys []string) {
	for key := range s.have[name] {
		keys = append(keys, key)
	}
	delete(s.have, name)
	delete(s.sums, name)
	return keys
}

// has reports whether a shard has a key.
func (s *shards) has(key string) bool {
	for _, have := range s.have {
		if _, is := have[key]; is {
			return true
		}
	}
	return false
}

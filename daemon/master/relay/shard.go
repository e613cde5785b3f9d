// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/table"
)

// Bounds of a shard's log.
const (
	logAge = 2 * time.Minute
	maxLog = 1 << 20 // bytes
)

// shard is a part of the state, with its recent changes.
type shard struct {
	name     channel.Shard
	items    *table.Table[string, channel.Item]
	digest   channel.Digest // of the items
	base     channel.Digest // the digest after the step from
	seq      uint64         // of the last step that changed it
	revision uint64         // of the same step
	log      []entry
	size     int    // bytes of the log
	from     uint64 // the log has the steps after this one
	after    uint64 // and the changes after this revision
	whole    *snapshot
	streams  map[*Stream]struct{} // that send it
	woken    time.Time            // when they were woken last
}

// entry is the change of one step.
type entry struct {
	seq, revision uint64
	at            time.Time
	size          int
	digest        channel.Digest // of the shard after it
	message       *message
}

// snapshot is the complete shard after a step.
type snapshot struct {
	seq     uint64
	message *message
}

// message is an update that is encoded when the first stream sends it.
type message struct {
	once   sync.Once
	update func() *channel.Update
	text   []byte
}

// bytes returns the encoded update. It blocks while another stream encodes it.
func (m *message) bytes() []byte {
	m.once.Do(func() {
		m.text = channel.EncodeUpdate(m.update())
		m.update = nil
	})
	return m.text
}

func newShard(name channel.Shard, began uint64) *shard {
	return &shard{name: name, items: table.New[string, channel.Item](), after: began, streams: map[*Stream]struct{}{}}
}

// apply applies the changes of a step. The first step has no log: no agent can know the state before it.
func (s *shard) apply(u *channel.Update, seq, revision uint64, first bool) {
	byKey(u.Items)
	slices.Sort(u.Gone)
	for _, key := range u.Gone {
		s.uncount(key)
		s.items.Delete(key)
	}
	for _, i := range u.Items {
		s.uncount(i.Key)
		s.digest.Add(i.Key, i.Value)
		s.items.Set(i.Key, i)
	}
	s.seq, s.revision = seq, revision
	if first {
		s.from, s.base = seq, s.digest
		return
	}
	e := entry{seq: seq, revision: revision, at: time.Now(), size: u.Size(), digest: s.digest, message: &message{update: func() *channel.Update { return u }}}
	s.log, s.size = append(s.log, e), s.size+e.size
	s.trim(e.at)
}

// uncount removes a record from the digest.
func (s *shard) uncount(key string) {
	if was, is := s.items.Lookup(key); is {
		s.digest.Remove(key, was.Value)
	}
}

// trim discards old and excess entries of the log, and a snapshot that the log no longer follows.
func (s *shard) trim(now time.Time) {
	n := 0
	for ; n < len(s.log) && (s.size > maxLog || now.Sub(s.log[n].at) > logAge); n++ {
		s.size -= s.log[n].size
		s.from, s.base, s.after = s.log[n].seq, s.log[n].digest, max(s.after, s.log[n].revision)
	}
	s.log = slices.Delete(s.log, 0, n)
	if s.whole != nil && s.whole.seq < s.from {
		s.whole = nil
	}
}

// since returns the log after a step.
func (s *shard) since(seq uint64) []entry {
	i, _ := slices.BinarySearchFunc(s.log, seq+1, func(e entry, seq uint64) int { return cmp.Compare(e.seq, seq) })
	return s.log[i:]
}

// snapshot returns a snapshot from which the log continues.
func (s *shard) snapshot() *snapshot {
	if s.whole == nil {
		items := s.items.Clone()
		s.whole = &snapshot{seq: s.seq, message: &message{update: func() *channel.Update {
			u := channel.Update{Shard: s.name, Full: true, Items: slices.AppendSeq(make([]channel.Item, 0, items.Len()), items.Values())}
			byKey(u.Items)
			return &u
		}}}
	}
	return s.whole
}

func byKey(items []channel.Item) {
	slices.SortFunc(items, func(a, b channel.Item) int { return cmp.Compare(a.Key, b.Key) })
}

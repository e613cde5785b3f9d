package etcd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/contiv/contiv/daemon/store"
)

// history is what a client remembers of the history of its store, by which it knows it again. A store that was wiped, or restored
// from a backup, has another one, though it may have the same address, cluster id, keys and revisions: only that the newest
// changes which the client has seen stand where they stood proves that all before them is the same too. It belongs to the client
// and not to a watch, since a quiet watch sees hardly anything that proves something. It is safe for concurrent use.
type history struct {
	turn chan struct{} // holds one token: who takes it out asks the store

	// Who has it guards why the last question was not answered, and when that was.
	failed   error
	failedAt time.Time

	mu      sync.Mutex
	number  int // counts the histories that were met; 0: none yet
	cluster uint64
	term    uint64 // of Raft, the highest seen: it never goes back within one history
	marks   marks
	proved  time.Time // when the last question was put whose answer was that the history is this one
	upto    int64     // the store's revision then
}

func newHistory() *history {
	h := &history{turn: make(chan struct{}, 1)}
	h.turn <- struct{}{}
	return h
}

// apply waits for the turn to ask the store. Those who wait while it does not answer are told so with the one who asked: a store that
// is away costs a client one timeout, not one for each of its watches.
func (h *history) apply(ctx context.Context) error {
	since := time.Now()
	select {
	case <-h.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	if h.failedAt.After(since) {
		h.turn <- struct{}{}
		return h.failed
	}
	return nil
}

// give ends the turn; err says why the store did not answer.
func (h *history) give(err error) {
	if errors.Is(err, store.ErrUnavailable) { // not when the one who asked has left
		h.failed, h.failedAt = err, time.Now()
	}
	h.turn <- struct{}{}
}

// add remembers what a watch of history number has told.
func (h *history) add(number int, events []*clientv3.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if number != h.number {
		return
	}
	for _, e := range events {
		if e.Type == clientv3.EventTypeDelete {
			h.marks.delete(e.Kv)
		} else {
			h.marks.put(e.Kv)
		}
	}
}

// resumable is the revision from which a watch of history number that knows everything up to known can continue, provided that the
// history is still the same: how far that can be proved. 0: nowhere.
func (h *history) resumable(number int, known int64) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if number == 0 || number != h.number || len(h.marks) == 0 {
		return 0
	}
	return min(known, h.marks.newest().rev)
}

// confirm reports whether the store has still history number, now or at any moment after since, and has come as far as known.
// Those who ask at the same time share the answer.
func (s *Store) confirm(ctx context.Context, number int, known int64, since time.Time) (ok bool, err error) {
	h := s.history
	if err := h.apply(ctx); err != nil {
		return false, err
	}
	defer func() { h.give(err) }()
	h.mu.Lock()
	is, cluster, term, remembered := h.number, h.cluster, h.term, slices.Clone(h.marks)
	proved := h.proved.After(since) && h.upto >= known
	h.mu.Unlock()
	if is != number {
		return false, nil
	}
	if proved {
		return true, nil
	}
	asked := time.Now()
	found, header, err := s.look(ctx, remembered, "")
	if err != nil {
		return false, s.fault(ctx, "ask for the history", err)
	}
	s.reached()
	h.mu.Lock()
	defer h.mu.Unlock()
	if found != same || header.ClusterId != cluster || header.RaftTerm < term || header.Revision < known {
		if found == another {
			h.number++
			h.marks = nil
		}
		return false, nil
	}
	h.proved, h.upto, h.term = asked, header.Revision, header.RaftTerm
	return true, nil
}

// adopt returns the number of the history that a list is of, a new one unless it can be proved to be the one known. ok is
// false when the store that answers now is not that of the list: it is to be recreated.
func (s *Store) adopt(ctx context.Context, l *listing, prefix string) (number int, ok bool, err error) {
	h := s.history
	if err := h.apply(ctx); err != nil {
		return 0, false, err
	}
	defer func() { h.give(err) }()
	asked := time.Now()
	found, header, err := s.look(ctx, l.newest, prefix)
	if err != nil {
		return 0, false, s.fault(ctx, "ask for the history", err)
	}
	if found == another || header.ClusterId != l.header.ClusterId || header.Revision < l.header.Revision {
		return 0, false, nil
	}
	h.mu.Lock()
	is, cluster, term, remembered := h.number, h.cluster, h.term, slices.Clone(h.marks)
	h.mu.Unlock()
	known := is != 0 && len(remembered) > 0 && header.ClusterId == cluster && header.RaftTerm >= term && header.Revision >= remembered.newest().rev
	if known {
		if found, _, err = s.look(ctx, remembered, prefix); err != nil {
			return 0, false, s.fault(ctx, "ask for the history", err)
		}
		known = found == same
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !known {
		h.number++
		h.marks, h.cluster = nil, header.ClusterId
	}
	h.proved, h.upto, h.term = asked, header.Revision, header.RaftTerm
	for _, m := range l.newest {
		h.marks.add(m)
	}
	return h.number, true, nil
}

// sign is what a look at the store says of its history.
type sign int

const (
	unsure  sign = iota // the marks cannot be compared: the store has changed or forgotten what would tell
	same                // all that can be compared is as remembered, the newest mark included
	another             // it is not the history of the marks
)

// look compares the marks with the store: first with what it holds now and, where that has changed since, with what it held
// then. filler is a key to ask for when there are no marks: a question without keys is answered by a server that is behind, too.
func (s *Store) look(ctx context.Context, remembered marks, filler string) (sign, *pb.ResponseHeader, error) {
	rctx, cancel := s.request(ctx)
	defer cancel()
	if len(remembered) == 0 {
		resp, err := s.client.Get(rctx, cmp.Or(filler, "\x00"), clientv3.WithKeysOnly())
		if err != nil {
			return unsure, nil, err
		}
		return unsure, (*pb.ResponseHeader)(resp.Header), nil
	}
	var now, then []clientv3.Op
	for _, m := range remembered {
		now = append(now, clientv3.OpGet(m.key))
	}
	resp, err := s.client.Txn(rctx).Then(now...).Commit()
	if err != nil {
		return unsure, nil, err
	}
	var asked []mark
	newest := unsure
	for i, m := range remembered {
		switch newest = m.now(first(resp.Responses[i])); newest {
		case another:
			return another, resp.Header, nil
		case unsure:
			asked = append(asked, m)
			then = append(then, clientv3.OpGet(m.key, clientv3.WithRev(m.rev)))
			if m.gone {
				then = append(then, clientv3.OpGet(m.key, clientv3.WithRev(m.rev-1), clientv3.WithKeysOnly()))
			}
		}
	}
	if len(asked) == 0 {
		return same, resp.Header, nil
	}
	past, err := s.client.Txn(rctx).Then(then...).Commit()
	switch {
	case errors.Is(err, rpctypes.ErrCompacted):
		return newest, resp.Header, nil // unless the newest mark is as it was, nothing is proved
	case errors.Is(err, rpctypes.ErrFutureRev):
		return another, resp.Header, nil
	case err != nil:
		return unsure, nil, err
	}
	responses := past.Responses
	for _, m := range asked {
		kv := first(responses[0])
		responses = responses[1:]
		if !m.gone {
			if !m.is(kv) {
				return another, past.Header, nil
			}
			continue
		}
		before := first(responses[0])
		responses = responses[1:]
		if kv != nil || before == nil {
			return another, past.Header, nil
		}
	}
	return same, past.Header, nil
}

func first(r *pb.ResponseOp) *mvccpb.KeyValue {
	if kvs := r.GetResponseRange().GetKvs(); len(kvs) > 0 {
		return kvs[0]
	}
	return nil
}

// mark is one change that was seen.
type mark struct {
	key                          string
	rev, created, version, lease int64
	sum                          uint64 // of the value
	gone                         bool   // the key was deleted
}

var seed = maphash.MakeSeed()

func markOf(kv *mvccpb.KeyValue) mark {
	return mark{
		key: string(kv.Key), rev: kv.ModRevision, created: kv.CreateRevision, version: kv.Version, lease: kv.Lease,
		sum: maphash.Bytes(seed, kv.Value),
	}
}

// is reports whether kv, nil for none, is what the mark remembers.
func (m mark) is(kv *mvccpb.KeyValue) bool { return kv != nil && !m.gone && markOf(kv) == m }

// now says what it reports that the store holds kv, nil for nothing, at the key.
func (m mark) now(kv *mvccpb.KeyValue) sign {
	switch {
	case kv == nil, kv.CreateRevision > m.rev:
		return unsure // it was deleted since
	case m.gone, kv.ModRevision < m.rev, kv.CreateRevision != m.created:
		return another
	case kv.ModRevision > m.rev:
		if kv.Version <= m.version {
			return another
		}
		return unsure
	case m.is(kv):
		return same
	}
	return another
}

// How many changes a client remembers. One would do but for chance: a store that was wiped may be filled by the same program in
// the same order, with another value here or there. Deletions prove little, so there are few of them.
const (
	maxMarks     = 16
	maxDeletions = 4
)

// marks are the newest changes, one a key, the oldest first.
type marks []mark

func (m marks) newest() mark { return m[len(m)-1] }

func (m *marks) put(kv *mvccpb.KeyValue) {
	if l := len(*m); l == maxMarks && kv.ModRevision <= (*m)[0].rev {
		return // as most of a list
	}
	m.add(markOf(kv))
}

func (m *marks) delete(kv *mvccpb.KeyValue) {
	m.add(mark{key: string(bytes.Clone(kv.Key)), rev: kv.ModRevision, gone: true})
}

func (m *marks) add(x mark) {
	deletions := 0
	if x.gone {
		deletions++
	}
	for i := range slices.Backward(*m) { // from the newest
		if have := (*m)[i]; have.key == x.key {
			if have.rev >= x.rev {
				return
			}
			*m = slices.Delete(*m, i, i+1)
		} else if have.gone {
			if deletions++; deletions > maxDeletions {
				*m = slices.Delete(*m, i, i+1)
			}
		}
	}
	at, _ := slices.BinarySearchFunc(*m, x.rev+1, func(have mark, rev int64) int { return cmp.Compare(have.rev, rev) })
	*m = slices.Insert(*m, at, x)
	if len(*m) > maxMarks {
		*m = slices.Delete(*m, 0, len(*m)-maxMarks)
	}
}

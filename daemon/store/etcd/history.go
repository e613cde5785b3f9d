// SPDX-License-Identifier: Apache-2.0

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

// history identifies the history of a client's store. A store that was wiped, or restored from a backup, has another history, possibly with
// the same address, cluster id, keys and revisions: the only proof that all earlier changes are the same is that the newest changes which
// the client has seen are still at their revisions. It belongs to the client and not to a watch, since a quiet watch sees hardly any change
// that proves something. It is safe for concurrent use.
type history struct {
	turn chan struct{} // holds one token: its owner asks the store

	// The owner of the token guards why the last question was not answered, and when that was.
	failed   error
	failedAt time.Time

	mu      sync.Mutex
	number  int // counts the histories seen; 0: none yet
	cluster uint64
	term    uint64 // Raft's, the highest seen: it never decreases within one history
	marks   marks
	proved  time.Time // time of the last question that proved this history
	upto    int64     // the store's revision then
}

func newHistory() *history {
	h := &history{turn: make(chan struct{}, 1)}
	h.turn <- struct{}{}
	return h
}

// acquire waits for the turn to ask the store. Callers that wait while it does not answer share the error of the one that asked: a store
// that is away costs a client one timeout, not one for each of its watches.
func (h *history) acquire(ctx context.Context) error {
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

// give ends the turn; err is why the store did not answer.
func (h *history) give(err error) {
	if errors.Is(err, store.ErrUnavailable) { // not if the caller that asked has left
		h.failed, h.failedAt = err, time.Now()
	}
	h.turn <- struct{}{}
}

// add records the changes of a watch of history number.
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

// resumable returns the revision from which a watch of history number that is complete up to known can continue, as far as the history is
// proved to be the same. 0: none.
func (h *history) resumable(number int, known int64) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if number == 0 || number != h.number || len(h.marks) == 0 {
		return 0
	}
	return min(known, h.marks.newest().rev)
}

// confirm reports whether the store still has history number, at some moment after since, and has reached known. Concurrent callers share
// the answer.
func (s *Store) confirm(ctx context.Context, number int, known int64, since time.Time) (ok bool, err error) {
	h := s.history
	if err := h.acquire(ctx); err != nil {
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

// adopt returns the number of the history of a list, a new one unless the list provably has the known one. ok is false if the store that
// answers now is not that of the list, which must then be repeated.
func (s *Store) adopt(ctx context.Context, l *listing, prefix string) (number int, ok bool, err error) {
	h := s.history
	if err := h.acquire(ctx); err != nil {
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

// sign is the result of a comparison with the store's history.
type sign int

const (
	unsure  sign = iota // the marks cannot be compared: the store has changed or compacted the keys
	same                // all comparable marks are unchanged, including the newest
	another             // it is not the history of the marks
)

// look compares the marks with the store: first with its current values and, for keys changed since, with those of the time. filler is a
// key to read if there are no marks, because a server that is behind also answers a request without keys.
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
		return newest, resp.Header, nil // unless the newest mark is unchanged, nothing is proved
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

// mark is one observed change.
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

// is reports whether kv, nil for none, is the value of the mark.
func (m mark) is(kv *mvccpb.KeyValue) bool { return kv != nil && !m.gone && markOf(kv) == m }

// now returns what it proves that the store has kv, nil for nothing, at the key.
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

// How many changes a client remembers. One would suffice but for chance: a wiped store may be filled by the same program in the same order,
// with a few different values. Deletions prove little, so few are kept.
const (
	maxMarks     = 16
	maxDeletions = 4
)

// marks are the newest changes, one per key, the oldest first.
type marks []mark

func (m marks) newest() mark { return m[len(m)-1] }

func (m *marks) put(kv *mvccpb.KeyValue) {
	if l := len(*m); l == maxMarks && kv.ModRevision <= (*m)[0].rev {
		return // as most items of a list
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

// SPDX-License-Identifier: Apache-2.0

package consul

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/contiv/contiv/daemon/store"
)

// tickKey is put, with the time, by transactions that only delete: Consul returns an index only for what a transaction put, and a put of an
// equal value moves no index.
const tickKey = "contiv.io/tick"

// attempts bounds the retries of a commit whose look-ups became outdated.
const attempts = 20

// errChanged reports that something looked up before a transaction has changed since.
var errChanged = errors.New("keys change faster than they can be looked up")

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, tx *store.Tx) (store.Revision, error) {
	if err := limits.Check(tx); err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	for range attempts {
		rev, err := s.try(ctx, tx)
		if !errors.Is(err, errChanged) {
			return rev, err
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("commit: %w", ctx.Err())
		case <-time.After(2 * time.Millisecond):
		}
	}
	return 0, fmt.Errorf("commit: %w: %w", store.ErrConflict, errChanged)
}

// role is the purpose of an operation in a Consul transaction, which determines the meaning of its failure.
type role int

const (
	fence role = iota
	guard
	lookup // a previous look-up is still true
	change
)

// batch is a Consul transaction being built.
type batch struct {
	ops   api.TxnOps
	roles []role
}

func (b *batch) add(r role, op api.KVTxnOp) {
	b.ops = append(b.ops, &api.TxnOp{KV: &op})
	b.roles = append(b.roles, r)
}

func (b *batch) require(r role, key string, rev store.Revision) {
	if rev == 0 {
		b.add(r, api.KVTxnOp{Verb: api.KVCheckNotExists, Key: path(key)})
		return
	}
	b.add(r, api.KVTxnOp{Verb: api.KVCheckIndex, Key: path(key), Index: uint64(rev)})
}

// try attempts to commit tx once.
func (s *Store) try(ctx context.Context, tx *store.Tx) (store.Revision, error) {
	var b batch
	if f := tx.Fence(); f != nil {
		m, err := s.incarnation(ctx, *f)
		if err != nil {
			return 0, err
		}
		b.require(fence, f.Key, m.modified)
	}
	for _, g := range tx.Guards() {
		b.require(guard, g.Key, g.Revision)
	}
	puts := false
	for _, op := range tx.Ops() {
		switch {
		case op.Delete:
			b.add(change, api.KVTxnOp{Verb: api.KVDelete, Key: path(op.Key)})
			continue
		case op.Lease == nil:
			b.add(change, api.KVTxnOp{Verb: api.KVSet, Key: path(op.Key), Value: op.Value})
		default:
			if err := s.lock(ctx, &b, op); err != nil {
				return 0, err
			}
		}
		puts = true
	}
	if len(tx.Ops()) > 0 && !puts {
		b.add(change, api.KVTxnOp{Verb: api.KVSet, Key: tickKey, Value: []byte(time.Now().Format(time.RFC3339Nano))})
	}
	if len(b.ops) > maxOps {
		return 0, fmt.Errorf("commit: %d operations with those that leases need: %w", len(b.ops), store.ErrTooLarge)
	}
	return s.apply(ctx, tx, &b)
}

// apply sends a transaction and interprets its outcome.
func (s *Store) apply(ctx context.Context, tx *store.Tx, b *batch) (store.Revision, error) {
	if len(tx.Ops()) == 0 {
		// Consul returns no index for a transaction that changes nothing.
		if len(b.ops) > 0 {
			if _, err := s.send(ctx, tx, b); err != nil {
				return 0, err
			}
		}
		_, rev, err := s.List(ctx, "/contiv.io/no such key/")
		return rev, err
	}
	results, err := s.send(ctx, tx, b)
	if err != nil {
		return 0, err
	}
	var rev store.Revision
	for i, r := range results {
		if r.KV != nil && i >= len(results)-len(b.ops) {
			rev = max(rev, store.Revision(r.KV.ModifyIndex))
		}
	}
	if f := tx.Fence(); f != nil && slices.ContainsFunc(tx.Ops(), func(op store.Op) bool { return op.Key == f.Key }) {
		s.forget(f.Key)
	}
	return rev, nil
}

func (s *Store) send(ctx context.Context, tx *store.Tx, b *batch) (api.TxnResults, error) {
	rctx, cancel := s.request(ctx, s.config.Timeout)
	defer cancel()
	ok, resp, _, err := s.client().Txn().Txn(b.ops, (&api.QueryOptions{}).WithContext(rctx))
	if err != nil {
		return nil, s.fault(ctx, "commit", err)
	}
	if ok {
		return resp.Results, nil
	}
	return nil, s.outcome(tx, b, resp.Errors)
}

// outcome returns why a transaction was not applied: an outdated look-up first, because the rest depends on it, then the fence, then the
// guards.
func (s *Store) outcome(tx *store.Tx, b *batch, list api.TxnErrors) error {
	failed := map[role]bool{}
	text := refusal(list)
	for _, e := range list {
		if e.OpIndex >= 0 && e.OpIndex < len(b.roles) {
			failed[b.roles[e.OpIndex]] = true
		}
	}
	switch {
	case failed[fence]:
		// The lock may only have been refreshed; the next attempt looks it up again.
		s.forget(tx.Fence().Key)
		return errChanged
	case failed[guard]:
		return fmt.Errorf("commit: %w: %w", store.ErrConflict, text)
	case failed[lookup], strings.Contains(text.Error(), "lock"):
		return errChanged // a lock that just ended cannot be acquired for a moment ("lock delay")
	case strings.Contains(text.Error(), "invalid session"):
		return fmt.Errorf("commit: %w: %w", store.ErrLeaseLost, text)
	}
	return fmt.Errorf("commit: %w", text)
}

// incarnation returns the last seen lock key if it still is that of the fence, or ErrFenced. Consul cannot compare the index that created a
// key, so it compares the key's last change; a stale one is looked up again.
func (s *Store) incarnation(ctx context.Context, f store.Fence) (mark, error) {
	s.mu.Lock()
	m, ok := s.fences[f.Key]
	s.mu.Unlock()
	if !ok || m.created != f.Created {
		kv, err := s.get(ctx, f.Key)
		if err != nil {
			return mark{}, err
		}
		if kv == nil {
			return mark{}, fmt.Errorf("commit: %s: %w", f.Key, store.ErrFenced)
		}
		m = mark{store.Revision(kv.CreateIndex), store.Revision(kv.ModifyIndex)}
		s.mu.Lock()
		s.fences[f.Key] = m
		s.mu.Unlock()
	}
	if m.created != f.Created {
		return mark{}, fmt.Errorf("commit: %s: %w", f.Key, store.ErrFenced)
	}
	return m, nil
}

func (s *Store) forget(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.fences, key)
}

// lock adds the put of a key under a session. A key that another session holds is deleted first, in the same transaction, because Consul
// lets only the holder put under its own session.
func (s *Store) lock(ctx context.Context, b *batch, op store.Op) error {
	l, ok := op.Lease.(*lease)
	if !ok {
		return fmt.Errorf("commit: put %s: lease %s is of another store", op.Key, op.Lease.ID())
	}
	kv, err := s.get(ctx, op.Key)
	if err != nil {
		return err
	}
	if kv == nil {
		b.require(lookup, op.Key, 0)
	} else {
		b.require(lookup, op.Key, store.Revision(kv.ModifyIndex))
		if kv.Session != "" && kv.Session != l.id {
			b.add(change, api.KVTxnOp{Verb: api.KVDelete, Key: path(op.Key)})
		}
	}
	b.add(change, api.KVTxnOp{Verb: api.KVLock, Key: path(op.Key), Value: op.Value, Session: l.id})
	return nil
}

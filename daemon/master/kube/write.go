// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Number of records, and of pods' endpoints, compared in one request, for which other requests wait.
const (
	recordsAtOnce = 5000
	podsAtOnce    = 2000
)

// bytesAtOnce bounds the records of one transaction, of which a store accepts a megabyte.
const bytesAtOnce = 256 << 10

// write writes all differences, in several transactions if necessary; false: some are left for a retry.
func (e *Engine) write(ctx context.Context) bool {
	ctx = commit.Own(ctx, "Kubernetes changed it")
	for {
		keys, pods, changes := e.nextBatch()
		if len(keys)+len(pods) == 0 {
			return true
		}
		left, err := e.records(ctx, keys)
		if err == nil && len(left) == 0 && changes > 0 {
			e.wrote(changes)
		}
		if err == nil {
			pods, err = e.Endpoints.Follow(ctx, pods)
		}
		e.giveBack(left, pods)
		if err != nil {
			if ctx.Err() == nil {
				e.Log.Warn("cannot write the changes of Kubernetes; retrying", "retry", e.Pause, "error", err)
			}
			return false
		}
	}
}

// wrote sets the number of changes of Kubernetes that the store has.
func (e *Engine) wrote(changes uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known.written = changes
	e.move()
}

// nextBatch returns some of the possible differences, and the number of changes that the store has completely after these; 0 if there are
// other keys.
func (e *Engine) nextBatch() (keys []string, pods []*translate.Pod, changes uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for key := range e.known.differs {
		if len(keys) == recordsAtOnce {
			break
		}
		keys = append(keys, key)
		delete(e.known.differs, key)
	}
	for id := range e.known.changed {
		if len(pods) == podsAtOnce {
			break
		}
		if p := e.known.pods[id]; p != nil {
			pods = append(pods, p)
		}
		delete(e.known.changed, id)
	}
	if e.known.taken = len(keys) + len(pods); len(e.known.differs) == 0 {
		changes = e.known.changes
	}
	return keys, pods, changes
}

// giveBack schedules keys and pods for another comparison.
func (e *Engine) giveBack(keys []string, pods []*translate.Pod) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known.taken = 0
	for _, key := range keys {
		e.known.differs[key] = struct{}{}
	}
	for _, p := range pods {
		e.known.changed[p.ID] = struct{}{}
	}
}

// records writes the differing records of keys in one transaction, and returns those that did not fit. It reads the expected values within
// the transaction, so that the latest ones count.
func (e *Engine) records(ctx context.Context, keys []string) ([]string, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	// These may still be written when the term ends and Do returns, and its knowledge may still be read.
	var left []string
	var done map[string]allotment
	known := e.ofTerm()
	_, err := e.Commit.Do(ctx, func(tx *commit.Tx) error {
		left, done = nil, map[string]allotment{}
		size := 0
		for i, key := range keys {
			if tx.Room() == 0 || size > bytesAtOnce {
				left = keys[i:]
				return nil
			}
			if service, is := serviceOf(key); is {
				a, complete, err := e.allot(tx, known, service)
				if err != nil {
					return err
				}
				if complete {
					done[service] = a
				}
			}
			have := tx.Value(key)
			want := e.wanted(known, key, have)
			if slice, is := sliceOf(key); is && want != nil {
				judged, err := endpoint.JudgeSlice(tx.View, slice, want)
				if err != nil {
					return err
				}
				want = judged
			}
			if bytes.Equal(have, want) {
				continue
			}
			size += len(want)
			if want == nil {
				tx.Delete(key)
			} else if err := tx.Put(key, json.RawMessage(want)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return keys, err
	}
	e.allotted(done)
	return left, nil
}

// sliceOf returns the EndpointSlice of a record's key; ok is false for any other key.
func sliceOf(key string) (id identity.EndpointSlice, ok bool) {
	name, ok := strings.CutPrefix(key, record.EndpointSlices)
	if !ok {
		return id, false
	}
	id, err := identity.ParseEndpointSlice(name)
	return id, err == nil
}

// ofTerm returns the knowledge of the present term.
func (e *Engine) ofTerm() *knowledge {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known
}

// wanted returns the record of a key that a term expects, nil for none. It shares the memory of an equal value in the store.
func (e *Engine) wanted(known *knowledge, key string, have []byte) []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	want, ok := known.want[key]
	if ok && bytes.Equal(have, want) {
		known.want[key] = have
	}
	return want
}

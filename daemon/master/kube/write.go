package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/daemon/master/backing"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// How many records, and pods' endpoints, are compared in one request, which others wait behind.
const (
	recordsAtOnce = 5000
	podsAtOnce    = 2000
)

// bytesAtOnce bounds the records of one transaction, of which a store takes a megabyte.
const bytesAtOnce = 256 << 10

// write writes what differs, in as many transactions as that takes; false when something is left, which is to be tried again.
func (e *Engine) write(ctx context.Context) bool {
	ctx = commit.Own(ctx, "Kubernetes says so")
	for {
		keys, pods, told := e.nextBatch()
		if len(keys)+len(pods) == 0 {
			return true
		}
		left, err := e.records(ctx, keys)
		if err == nil && len(left) == 0 && told > 0 {
			e.wrote(told)
		}
		if err == nil {
			pods, err = e.Endpoints.Follow(ctx, pods)
		}
		e.giveBack(left, pods)
		if err != nil {
			if ctx.Err() == nil {
				e.Log.Warn("what Kubernetes has changed is not written; it is tried again", "retry", e.Pause, "error", err)
			}
			return false
		}
	}
}

// wrote notes that the store has all records that were told of up to then.
func (e *Engine) wrote(told uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known.written = told
	e.move()
}

// nextBatch is some of what may differ. told is up to what the store has everything once it has these; 0 when there are other keys.
func (e *Engine) nextBatch() (keys []string, pods []*translate.Pod, told uint64) {
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
		told = e.known.changes
	}
	return keys, pods, told
}

// giveBack notes what is still to be compared.
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

// records writes the records of keys that differ, in one transaction, and returns those for which that had no room. What is to be is
// asked for within it, so that the last word counts.
func (e *Engine) records(ctx context.Context, keys []string) ([]string, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var left []string // these may still be written when the term ends and Do returns
	var done map[string]allotment
	_, err := e.Commit.Do(ctx, func(tx *commit.Tx) error {
		left, done = nil, map[string]allotment{}
		size := 0
		for i, key := range keys {
			if tx.Room() == 0 || size > bytesAtOnce {
				left = keys[i:]
				return nil
			}
			if service, is := serviceOf(key); is {
				a, known, err := e.allot(tx, service)
				if err != nil {
					return err
				}
				if known {
					done[service] = a
				}
			}
			have := tx.Value(key)
			want := e.wanted(key, have)
			if slice, is := sliceOf(key); is && want != nil {
				judged, err := backing.Judge(tx.View, slice, want)
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

// sliceOf is the EndpointSlice whose record a key is; ok is false of any other.
func sliceOf(key string) (id identity.EndpointSlice, ok bool) {
	name, ok := strings.CutPrefix(key, record.EndpointSlices)
	if !ok {
		return id, false
	}
	id, err := identity.ParseEndpointSlice(name)
	return id, err == nil
}

// wanted is what the record of a key is to be, nil for none. It is kept once where the store has the same.
func (e *Engine) wanted(key string, have []byte) []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	want, ok := e.known.want[key]
	if ok && bytes.Equal(have, want) {
		e.known.want[key] = have
	}
	return want
}

// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// Term is one term of leadership.
type Term struct {
	Leader string      `json:"leader"`        // the leader's internal address, "ip:port"
	Since  time.Time   `json:"since"`         // its start, by the leader's clock
	Fence  store.Fence `json:"fence"`         // condition of every write of the term; Created numbers the term
	Why    string      `json:"why,omitempty"` // why the lock was free
}

// Holder is the holder of the lock, as last seen.
type Holder struct {
	Address  string         // "" if it is free
	Created  store.Revision // numbers the term
	Revision store.Revision // of the lock's last change
	Self     bool           // this process leads
}

// historyLen is the maximum length of the list in the store.
const historyLen = 20

// History reads the list of the last terms, the newest last, that leaders write at key.
func History(ctx context.Context, s store.Store, key string) ([]Term, error) {
	terms, _, err := history(ctx, s, key)
	return terms, err
}

func history(ctx context.Context, s store.Store, key string) ([]Term, store.Revision, error) {
	item, err := s.Read(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	var terms []Term
	if err := json.Unmarshal(item.Value, &terms); err != nil {
		return nil, item.Revision, fmt.Errorf("terms at %s: %w", key, err)
	}
	return terms, item.Revision, nil
}

// enter adds t to the list at key. It replaces an invalid list.
func enter(ctx context.Context, s store.Store, key string, t Term) error {
	terms, rev, err := history(ctx, s, key)
	if err != nil && rev == 0 {
		return err
	}
	terms = append(terms, t)
	value, err := json.Marshal(terms[max(0, len(terms)-historyLen):])
	if err != nil {
		return err
	}
	var tx store.Tx
	tx.Under(t.Fence)
	tx.Require(key, rev)
	tx.Put(key, value)
	_, err = s.Commit(ctx, &tx)
	return err
}

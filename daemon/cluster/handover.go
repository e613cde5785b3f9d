// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// Successor names the netmaster that a leader wants as its successor. It is a wish: the others leave the lock to the successor for a moment
// when that very term ends, and contend for it again if it does not come.
type Successor struct {
	From string         `json:"from"`         // the leader that hands over, "ip:port"
	To   string         `json:"to"`           // the new leader, "ip:port"
	Term store.Revision `json:"term"`         // the term that is handed over
	By   string         `json:"by,omitempty"` // the user who requested it
}

// order makes the contender end its term.
type order struct {
	successor Successor
	done      chan error
}

// StepDown ends this process's term h.Term: its work first, then the lock. It blocks until the lock is released or ctx ends. The caller
// must have written h at ElectionConfig.Successor, under the term's fence.
func (e *Election) StepDown(ctx context.Context, h Successor) error {
	o := order{h, make(chan error, 1)}
	select {
	case e.orders <- o:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-o.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stepDown carries out an order.
func (r *race) stepDown(ctx context.Context, h Successor) error {
	if r.lead == nil || r.lead.term.Fence.Created != h.Term {
		return fmt.Errorf("term %d is not this process's", h.Term)
	}
	r.log.Info("handing over leadership", "to", h.To, "by", h.By)
	r.resign(ctx)
	if r.lock.Key != "" && r.lock.Created == h.Term {
		return fmt.Errorf("term %d has ended, but its lock could not be given back: it is left to expire", h.Term)
	}
	r.successor = h // the watch may be behind
	return nil
}

// courtesy is how long the lock is left to another process.
func (r *race) courtesy() time.Duration {
	if r.ended == 0 || r.successor.Term != r.ended || r.successor.To == "" || r.successor.To == r.c.ID {
		return 0
	}
	return successorTimeout - time.Since(r.free)
}

// bequest is the reason of a term that was handed to this process; "" if it was not.
func (r *race) bequest() string {
	if r.ended == 0 || r.successor.Term != r.ended || r.successor.To != r.c.ID {
		return ""
	}
	why := "handed over by " + r.successor.From
	if r.successor.By != "" {
		why += ", asked by " + r.successor.By
	}
	return why
}

// named decodes a successor; an invalid one is none.
func (e *Election) named(i store.Item) (h Successor) {
	if err := json.Unmarshal(i.Value, &h); err != nil {
		e.c.Log.Warn("malformed record of the next leader", "key", i.Key, "error", err)
		return Successor{}
	}
	return h
}

package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// Successor names the netmaster that a leader wants to follow it. It is a wish: the others leave the lock to the heir for a moment when that
// very term ends, and contend for it again when it does not come.
type Successor struct {
	From string         `json:"from"`         // the leader that hands over, "ip:port"
	To   string         `json:"to"`           // who is to lead, "ip:port"
	Term store.Revision `json:"term"`         // that is handed over
	By   string         `json:"by,omitempty"` // who asked for it
}

// order asks the contender to end its term.
type order struct {
	successor Successor
	done      chan error
}

// StepDown ends this process's term h.Term: its work first, then the lock. It blocks until the lock is given back or ctx
// ends. That h is written at ElectionConfig.Heir, under the term's fence, is up to the caller, before.
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

// stepDown carries an order out.
func (r *race) stepDown(ctx context.Context, h Successor) error {
	if r.lead == nil || r.lead.term.Fence.Created != h.Term {
		return fmt.Errorf("term %d is not this process's", h.Term)
	}
	r.log.Info("leadership is handed over", "to", h.To, "by", h.By)
	r.resign(ctx)
	if r.lock.Key != "" && r.lock.Created == h.Term {
		return fmt.Errorf("term %d has ended, but its lock could not be given back: it is left to expire", h.Term)
	}
	r.successor = h // the watch may not have told it yet
	return nil
}

// courtesy is for how long the lock is left to someone else.
func (r *race) courtesy() time.Duration {
	if r.ended == 0 || r.successor.Term != r.ended || r.successor.To == "" || r.successor.To == r.c.ID {
		return 0
	}
	return successorTimeout - time.Since(r.free)
}

// bequest is why a term begins that was handed to this process; "" when it was not.
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

// named reads an heir; no one when it cannot be read.
func (e *Election) named(i store.Item) (h Successor) {
	if err := json.Unmarshal(i.Value, &h); err != nil {
		e.c.Log.Warn("who is to lead next cannot be read", "key", i.Key, "error", err)
		return Successor{}
	}
	return h
}

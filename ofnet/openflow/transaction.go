package openflow

import (
	"context"
	"fmt"
)

// Refusal is the switch's refusal of the message at Index of a transaction; -1 when it named none.
type Refusal struct {
	Index int
	Err   *Error
}

// RefusedError says that the switch refused a transaction, of which it then did nothing.
type RefusedError struct{ Refusals []Refusal }

// Error tells the first refusal and how many there are.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("switch refused message %d of the bundle: %v (%d refusals)", e.Refusals[0].Index, e.Refusals[0].Err,
		len(e.Refusals))
}

// Transact sends n messages, which must be FlowMods and GroupMods, as one bundle with one barrier: all are done or
// none. next returns message i; it is called once for each i in order, and may reuse what it returned before. The
// call blocks until the switch has passed the barrier. A refusal is a *RefusedError.
func (c *Conn) Transact(ctx context.Context, n int, next func(i int) Message) error {
	if n == 0 {
		return nil
	}
	// xids: open, n adds, commit, barrier.
	var refusals []Refusal
	k, err := c.begin(n+3, func(i int, m Message) bool {
		if e, ok := m.(*Error); ok {
			index := i - 1
			if index >= n {
				index = -1
			}
			refusals = append(refusals, Refusal{index, e})
		}
		return i == n+2
	})
	if err != nil {
		return err
	}
	// A bundle that is cut off in the middle leaves a connection that is good for nothing.
	stop := context.AfterFunc(ctx, func() { c.fail(ctx.Err()) })
	defer stop()
	if err := c.putBundle(k, n, next); err != nil {
		c.end(k)
		return err
	}
	if err := c.wait(ctx, k); err != nil {
		return err
	}
	if len(refusals) > 0 {
		return &RefusedError{named(refusals)}
	}
	return nil
}

// putBundle writes the bundle.
func (c *Conn) putBundle(k *call, n int, next func(i int) Message) error {
	c.write.Lock()
	defer c.write.Unlock()
	id := k.first
	if err := c.putLocked(k.first, &BundleControl{ID: id, Step: BundleOpen}); err != nil {
		return err
	}
	add := BundleAdd{ID: id}
	for i := range n {
		add.Message = next(i)
		if err := c.putLocked(k.first+1+uint32(i), &add); err != nil {
			if dead := c.Err(); dead != nil {
				return dead
			}
			// The message was too long. The bundle is open at the switch; nothing of it may stay.
			_ = c.putLocked(k.last-1, &BundleControl{ID: id, Step: BundleDiscard})
			_ = c.flushLocked()
			return &RefusedError{[]Refusal{{i, &Error{Kind: 1, Code: 6}}}} // OFPBRC_BAD_LEN, as a switch would say
		}
	}
	if err := c.putLocked(k.last-1, &BundleControl{ID: id, Step: BundleCommit}); err != nil {
		return err
	}
	if err := c.putLocked(k.last, Simple(TypeBarrierRequest)); err != nil {
		return err
	}
	return c.flushLocked()
}

// named keeps the refusals that name a message; when none does, the first.
func named(all []Refusal) []Refusal {
	var out []Refusal
	for _, r := range all {
		if r.Index >= 0 {
			out = append(out, r)
		}
	}
	if out == nil {
		return all[:1]
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package openflow

import (
	"context"
	"fmt"
)

// Refusal is the switch's refusal of the message at Index of a transaction; -1 if it named none.
type Refusal struct {
	Index int
	Err   *Error
}

// RefusedError means that the switch refused a transaction and carried out nothing of it.
type RefusedError struct{ Refusals []Refusal }

// Error describes the first refusal and returns the number of others.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("switch refused message %d of the bundle: %v (%d refusals)", e.Refusals[0].Index, e.Refusals[0].Err,
		len(e.Refusals))
}

// Transact sends up to n messages, which must be FlowMods and GroupMods, as one bundle with one barrier: all are carried out or none.
// next returns message i, or nil after the last; it is called once for each i in order, and may reuse what it returned before. While next
// works, the switch reads the earlier messages. The call blocks until the switch has passed the barrier; without a message it does
// nothing. A refusal is a *RefusedError. If ctx ends early, the connection ends with it, since it is unknown how much of the bundle
// arrived.
func (c *Conn) Transact(ctx context.Context, n int, next func(i int) Message) error {
	return c.transact(ctx, n, true, next)
}

// Sequence is Transact without a bundle, for messages that cannot be in one, such as MeterMods: each is carried out or refused by itself,
// and the *RefusedError names the refused ones.
func (c *Conn) Sequence(ctx context.Context, n int, next func(i int) Message) error {
	return c.transact(ctx, n, false, next)
}

func (c *Conn) transact(ctx context.Context, n int, bundle bool, next func(i int) Message) error {
	if n == 0 {
		return nil
	}
	// xids: open, n messages, commit, barrier; those of open and commit stay unused without a bundle.
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
	stop := context.AfterFunc(ctx, func() { c.fail(ctx.Err()) })
	defer stop()
	first := next(0)
	if first == nil {
		c.forget(k)
		return nil
	}
	err = c.putAll(k, n, bundle, func(i int) Message {
		if i == 0 {
			return first
		}
		return next(i)
	})
	if err != nil {
		c.forget(k)
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

func (c *Conn) putAll(k *call, n int, bundle bool, next func(i int) Message) error {
	c.write.Lock()
	defer c.write.Unlock()
	id := k.first
	control := func(xid uint32, step BundleStep) error {
		if !bundle {
			return nil
		}
		return c.putLocked(xid, &BundleControl{ID: id, Step: step})
	}
	if err := control(k.first, BundleOpen); err != nil {
		return err
	}
	add := &BundleAdd{ID: id}
	for i := range n {
		m := next(i)
		if m == nil {
			break
		}
		if bundle {
			add.Message = m
			m = add
		}
		if err := c.putLocked(k.first+1+uint32(i), m); err != nil {
			if dead := c.Err(); dead != nil {
				return dead
			}
			// The message was too long. No part of the open bundle may stay at the switch.
			_ = control(k.last-1, BundleDiscard) // a failure ends the Conn
			_ = c.flushLocked()
			return &RefusedError{[]Refusal{{i, tooLong}}}
		}
	}
	if err := control(k.last-1, BundleCommit); err != nil {
		return err
	}
	if err := c.putLocked(k.last, Simple(TypeBarrierRequest)); err != nil {
		return err
	}
	return c.flushLocked()
}

// tooLong is OFPBRC_BAD_LEN: the switch's answer to a message of more than 64 kB, if it could be sent.
var tooLong = &Error{Kind: 1, Code: 6}

// named keeps the refusals that name a message or, if none does, the first.
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

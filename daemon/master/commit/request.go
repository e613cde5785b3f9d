// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"context"
	"sync/atomic"
)

type request struct {
	ctx     context.Context
	fn      func(*Tx) error
	sharing sharing
	done    chan result
	state   atomic.Int32
	verdict error // the answer once the transaction of its batch is committed; nil: the revision
}

// sharing is how a request may share a transaction.
type sharing int

const (
	exclusive sharing = iota // with none
	joined                   // with others that joined
	inTurn                   // with others in turn
)

// States of a request.
const (
	inQueue   int32 = iota // or left over from a batch whose transaction had no space for it
	inBatch                // in a transaction that is being built or committed
	cancelled              // its caller no longer waits, and it is in no transaction
)

// start moves the request into a batch; false if its caller has cancelled it.
func (r *request) start() bool { return r.state.CompareAndSwap(inQueue, inBatch) }

// requeue moves the request back into the queue: the batch no longer has it.
func (r *request) requeue() { r.state.Store(inQueue) }

// cancel excludes the request from all transactions; false if it is in one.
func (r *request) cancel() bool { return r.state.CompareAndSwap(inQueue, cancelled) }

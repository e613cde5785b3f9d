package commit

import (
	"context"
	"sync/atomic"
)

type request struct {
	ctx     context.Context
	fn      func(*Tx) error
	turn    turn
	done    chan result
	place   atomic.Int32
	verdict error // what it is told when the transaction that it travels with is carried out; nil: the revision
}

// turn says with which others a request may share a transaction.
type turn int

const (
	alone  turn = iota // with none
	joined             // with others that joined
	inTurn             // with others in turn, each of which sees all that those before it do
)

// Places of a request.
const (
	inQueue int32 = iota // or left over from a transaction that had no room for it
	aboard               // in a transaction that is built or under way
	gaveUp               // its caller waits no more, and it is in no transaction
)

// board takes the request into a transaction; false when its caller has given up.
func (r *request) board() bool { return r.place.CompareAndSwap(inQueue, aboard) }

// alight puts it back into the queue: the transaction goes without it.
func (r *request) alight() { r.place.Store(inQueue) }

// giveUp keeps the request out of all transactions; false when it is in one.
func (r *request) giveUp() bool { return r.place.CompareAndSwap(inQueue, gaveUp) }

package bridge

import (
	"context"
	"math"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

const (
	manyOwners = 4096 // from so many on, the switch reads the first flows while the last are compiled
	pieceSize  = 200  // owners that are compiled at a time: by one core, since the other is the switch's
	chunkSize  = 8192 // changes that a switch which forwards nothing carries out at a time, while more are compiled
)

// inPieces divides the touched owners into the pieces of a stream. The first are all but endpoints, whose flows name the groups of one another;
// endpoints follow, whose flows may name these.
func (r *Reconciler) inPieces() [][]ofnet.Key {
	var first, endpoints []ofnet.Key
	for k := range r.touched {
		if k.Kind == ofnet.KindEndpoint {
			endpoints = append(endpoints, k)
		} else {
			first = append(first, k)
		}
	}
	out := [][]ofnet.Key{first}
	for len(endpoints) > pieceSize {
		out, endpoints = append(out, endpoints[:pieceSize]), endpoints[pieceSize:]
	}
	return append(out, endpoints)
}

// stream compiles owners piece by piece, and sends what is ready while it compiles the rest: all in one bundle, or, when the switch forwards
// nothing yet, in chunks of one bundle each, without the flows of the first table, which it leaves to the next flush. Deletions come last,
// when everyone has said what they want. Meters cannot be in a bundle: where one turns up the stream ends early, and leaves the rest to the next
// flush; so it does after a chunk that is refused. An error means that the connection failed.
func (r *Reconciler) stream(ctx context.Context, sw Switch, pieces [][]ofnet.Key) error {
	size := math.MaxInt
	r.mu.Lock()
	if r.shadow.forwardsNothing() {
		r.shadow.closed, size = true, chunkSize
	}
	r.mu.Unlock()
	ready, stop := r.compileAhead(pieces)
	defer r.endStream(ready, stop)
	for more := true; more; {
		var sent batch
		err := sw.Stream(ctx, func(yield func(*flow.Delta) bool) {
			for sent.len() < size {
				b, ok := <-ready
				if !ok {
					more = false
					return
				}
				sent.merge(b)
				if !yield(&b.delta) {
					return
				}
			}
		})
		if sent.len() == 0 && err == nil {
			return nil
		}
		if refused, err := r.applied(ctx, sw, &sent, err); refused || err != nil {
			return err
		}
	}
	return nil
}

// compileAhead compiles the pieces one after the other, and never waits for the sending: ready has room for all. stop ends it before.
func (r *Reconciler) compileAhead(pieces [][]ofnet.Key) (ready <-chan *batch, stop func()) {
	out, stopped := make(chan *batch, len(pieces)), make(chan struct{})
	go func() {
		defer close(out)
		for i, keys := range pieces {
			b := r.piece(keys, i == len(pieces)-1)
			if b == nil {
				return
			}
			out <- b
			select {
			case <-stopped:
				return
			default:
			}
		}
	}()
	return out, func() { close(stopped) }
}

// endStream leaves to the next flush what was compiled and not sent.
func (r *Reconciler) endStream(ready <-chan *batch, stop func()) {
	stop()
	for b := range ready {
		r.mu.Lock()
		r.shadow.again(b)
		r.mu.Unlock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shadow.closed = false
	if len(r.touched) == 0 {
		r.touched = map[ofnet.Key]struct{}{} // an empty map keeps its room
	}
}

// piece compiles owners and takes what is to be sent for them; nil when that has meters.
func (r *Reconciler) piece(keys []ofnet.Key, last bool) *batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.compile(keys)
	if !r.shadow.meters.clean() {
		return nil
	}
	return r.shadow.take(func(a *account) bool { return a != nil || last })
}

// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

const (
	manyOwners = 4096    // from this number on, the switch reads the first flows while the last are compiled
	pieceSize  = 200     // owners compiled at a time, on one core: the switch needs the other
	usualFlows = 3       // approximate number per owner
	chunkSize  = 1 << 14 // changes after which a switch that forwards nothing yet confirms that it has carried them out
)

// inPieces divides the touched owners into the pieces of a stream. The first pieces have all owners but endpoints, since their flows name
// the groups of one another; endpoints follow, whose flows may name these groups.
func (r *Reconciler) inPieces() [][]ofnet.Key {
	var first []ofnet.Key
	endpoints := make([]ofnet.Key, 0, len(r.touched))
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

// ownMeters compiles the owner of probe flows, which every switch has, and applies its meter: a stream has no meters.
func (r *Reconciler) ownMeters() *batch {
	for k := range r.touched {
		if k.Kind == ofnet.KindProbes {
			r.compile([]ofnet.Key{k})
		}
	}
	return r.shadow.applyMeters()
}

// sendMeters sends meters before the flows that name them. If the switch refuses a meter, nothing of its owner is sent.
func (r *Reconciler) sendMeters(ctx context.Context, sw Switch, b *batch) error {
	if b.len() == 0 {
		return nil
	}
	_, err := r.applied(ctx, sw, b, sw.Apply(ctx, &b.delta))
	return err
}

// stream compiles owners piece by piece and sends each piece while it compiles the next: all in one bundle. A switch that forwards nothing
// yet carries out each change as it comes, in chunks, and the flows of the first table are left to the next flush. Deletions come last,
// when all owners are compiled. Meters cannot be in a bundle: at the first one the stream ends early and leaves the rest to the next flush.
// The same happens, after a comparison, if the switch refuses a part of a chunk. An error means that the connection failed.
func (r *Reconciler) stream(ctx context.Context, sw Switch, pieces [][]ofnet.Key) error {
	r.mu.Lock()
	filling := r.shadow.forwardsNothing()
	r.shadow.closed = filling
	r.mu.Unlock()
	send, size := sw.Stream, math.MaxInt
	if filling {
		send, size = sw.Fill, chunkSize
	}
	ready, stop := r.compileAhead(pieces)
	defer r.endStream(ready, stop)
	for more := true; more; {
		var sent batch
		err := send(ctx, func(yield func(*flow.Delta) bool) {
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
		refused, err := r.applied(ctx, sw, &sent, err)
		switch {
		case err != nil || !refused:
		case filling:
			return r.compareAgain(ctx, sw)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compareAgain reads the content of a switch that has carried out an unknown part of a stream.
func (r *Reconciler) compareAgain(ctx context.Context, sw Switch) error {
	r.mu.Lock()
	r.compared = nil // the differences are not drift
	r.mu.Unlock()
	return r.compare(ctx, sw)
}

// compileAhead compiles the pieces one after the other. It never waits for the sender, since ready has room for all. stop ends it early.
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

// endStream leaves compiled but unsent flows to the next flush.
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
		r.touched = map[ofnet.Key]struct{}{} // an empty map keeps its memory
	}
}

// piece compiles owners and returns their changes; nil if these include meters.
func (r *Reconciler) piece(keys []ofnet.Key, last bool) *batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.compile(keys)
	if !r.shadow.meters.clean() {
		return nil
	}
	b := r.shadow.apply(func(a *ownerState) bool { return a != nil || last })
	// Open vSwitch needs a tenth less time for flows ordered by table.
	slices.SortStableFunc(b.delta.AddFlows, func(a, b flow.Flow) int { return cmp.Compare(a.Table, b.Table) })
	return b
}

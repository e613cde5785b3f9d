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
	manyOwners = 4096    // from so many on, the switch reads the first flows while the last are compiled
	pieceSize  = 200     // owners that are compiled at a time: by one core, since the other is the switch's
	usualFlows = 3       // of an owner, about
	chunkSize  = 1 << 14 // changes after which a switch that forwards nothing yet is asked whether it has carried them out
)

// inPieces divides the touched owners into the pieces of a stream. The first are all but endpoints, whose flows name the groups of one another;
// endpoints follow, whose flows may name these.
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

// ownMeters compiles what turns back probes, which every switch has, and takes its meter: a stream holds none.
func (r *Reconciler) ownMeters() *batch {
	for k := range r.touched {
		if k.Kind == ofnet.KindProbes {
			r.compile([]ofnet.Key{k})
		}
	}
	return r.shadow.applyMeters()
}

// sendMeters sends meters ahead of the flows that name them. Of an owner whose meter the switch refuses nothing is sent.
func (r *Reconciler) sendMeters(ctx context.Context, sw Switch, b *batch) error {
	if b.len() == 0 {
		return nil
	}
	_, err := r.applied(ctx, sw, b, sw.Apply(ctx, &b.delta))
	return err
}

// stream compiles owners piece by piece, and sends what is ready while it compiles the rest: all in one bundle. A switch that forwards nothing yet
// carries out each change as it comes, in chunks, and the flows of the first table are left to the next flush. Deletions come last, when
// everyone has said what they want. Meters cannot be in a bundle: where one turns up the stream ends early, and leaves the rest to the next
// flush. So does a chunk of which the switch refuses something, after a comparison. An error means that the connection failed.
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

// compareAgain finds out what a switch has of which no one knows how much it has carried out.
func (r *Reconciler) compareAgain(ctx context.Context, sw Switch) error {
	r.mu.Lock()
	r.compared = nil // what differs is no one else's doing
	r.mu.Unlock()
	return r.compare(ctx, sw)
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
	b := r.shadow.apply(func(a *ownerState) bool { return a != nil || last })
	// Open vSwitch takes a tenth less for flows that come table by table.
	slices.SortStableFunc(b.delta.AddFlows, func(a, b flow.Flow) int { return cmp.Compare(a.Table, b.Table) })
	return b
}

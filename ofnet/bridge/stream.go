package bridge

import (
	"context"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

const (
	manyOwners = 4096 // from so many on, the switch reads the first flows while the last are compiled
	pieceSize  = 200  // owners that are compiled at a time: by one core, since the other is the switch's
)

// inPieces lists the touched owners in the order of a stream: endpoints, whose flows may name the groups and meters of
// others, come last.
func (r *Reconciler) inPieces() []ofnet.Key {
	keys := make([]ofnet.Key, 0, len(r.touched))
	var endpoints []ofnet.Key
	for k := range r.touched {
		if k.Kind == ofnet.KindEndpoint {
			endpoints = append(endpoints, k)
		} else {
			keys = append(keys, k)
		}
	}
	return append(keys, endpoints...)
}

// stream compiles the owners with the keys piece by piece, and sends what is ready while it compiles the rest: all in
// one bundle. Deletions come last, when everyone has said what they want. Meters cannot be in a bundle: where one turns
// up the stream ends early, and leaves the rest to the next flush. An error means that the connection failed.
func (r *Reconciler) stream(ctx context.Context, sw Switch, keys []ofnet.Key) error {
	var all batch
	ready := make(chan *batch, len(keys)/pieceSize+1) // room for all: the compiling never waits for the sending
	ended := make(chan struct{})
	go func() {
		defer close(ready)
		for at := 0; at < len(keys); at += pieceSize {
			b := r.piece(keys, at)
			if b == nil {
				return
			}
			all.merge(b)
			ready <- b
			select {
			case <-ended:
				return
			default:
			}
		}
	}()
	err := sw.Stream(ctx, func(yield func(*flow.Delta) bool) {
		for b := range ready {
			if !yield(&b.delta) {
				return
			}
		}
	})
	close(ended)
	for range ready { // until the goroutine is done with all
	}
	if all.len() == 0 && err == nil {
		return nil
	}
	_, err = r.applied(ctx, sw, &all, err)
	return err
}

// piece compiles the owners that begin at keys[at] and takes what is to be sent for them; nil when that has meters.
func (r *Reconciler) piece(keys []ofnet.Key, at int) *batch {
	end := min(at+pieceSize, len(keys))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.compile(keys[at:end])
	if !r.shadow.meters.clean() {
		return nil
	}
	return r.shadow.take(func(a *account) bool { return a != nil || end == len(keys) })
}

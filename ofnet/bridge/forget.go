package bridge

import (
	"context"
	"errors"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Forgetter is a Compiler that knows which connections of the tracker must not outlive a change.
type Forgetter interface {
	// Forgotten lists them, for a change from one State to another.
	Forgotten(before, after *ofnet.State) []flow.Connections
}

// forget notes what the change from the State before makes the switch forget. The lock is held.
func (r *Reconciler) forget(before *ofnet.State) {
	if f, ok := r.compiler.(Forgetter); ok {
		r.remember(f.Forgotten(before, r.state))
	}
}

// drainForgotten is what is to be forgotten once all flows are in the switch. The lock is held.
func (r *Reconciler) drainForgotten() []flow.Connections {
	if len(r.forgotten) == 0 {
		return nil
	}
	out := make([]flow.Connections, 0, len(r.forgotten))
	for c := range r.forgotten {
		out = append(out, c)
	}
	clear(r.forgotten)
	return out
}

// sendForgotten has the switch forget; an error means that the connection failed, and then it is tried again over the next
// one. A switch that cannot forget single connections goes on as it is, and that is said once.
func (r *Reconciler) sendForgotten(ctx context.Context, sw Switch, list []flow.Connections) error {
	if len(list) == 0 {
		return nil
	}
	err := sw.Forget(ctx, list)
	r.mu.Lock()
	defer r.mu.Unlock()
	var no *RefusedError
	switch {
	case err == nil:
		r.counters.Forgotten += uint64(len(list))
	case errors.As(err, &no):
		if !r.mindful {
			r.options.Log.Warn("switch cannot forget connections; those of deleted containers last until they time out (Open vSwitch 3.1 can)", "error", err)
		}
		r.mindful = true
		err = nil
	default:
		r.remember(list)
	}
	return err
}

// remember puts back what was not sent. The lock is held.
func (r *Reconciler) remember(list []flow.Connections) {
	for _, c := range list {
		r.forgotten[c] = struct{}{}
	}
}

// keepForgotten is remember for those who do not hold the lock.
func (r *Reconciler) keepForgotten(list []flow.Connections) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remember(list)
}

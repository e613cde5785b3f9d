// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"errors"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Forgetter is a Compiler that knows which tracked connections must not survive a change.
type Forgetter interface {
	// Forgotten lists these connections for a change from one State to another.
	Forgotten(before, after *ofnet.State) []flow.Connections
}

// forget records which connections a change of the State deletes. The caller holds the lock.
func (r *Reconciler) forget(before *ofnet.State) {
	if f, ok := r.compiler.(Forgetter); ok {
		r.remember(f.Forgotten(before, r.state))
	}
}

// drainForgotten returns the connections to delete once all flows are in the switch. The caller holds the lock.
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

// sendForgotten makes the switch delete connections. An error means that the connection failed; they are sent again over the next one. A
// switch that cannot delete single connections keeps them, which is logged once.
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

// remember restores connections that were not sent. The caller holds the lock.
func (r *Reconciler) remember(list []flow.Connections) {
	for _, c := range list {
		r.forgotten[c] = struct{}{}
	}
}

// keepForgotten is remember for callers that do not hold the lock.
func (r *Reconciler) keepForgotten(list []flow.Connections) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remember(list)
}

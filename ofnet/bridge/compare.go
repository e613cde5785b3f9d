package bridge

import (
	"context"

	"github.com/contiv/contiv/ofnet/flow"
)

// firstPortion is about how many flows of a switch are compared at a time that is not known yet. All of hundreds of thousands would take as much memory again
// as is known of them.
const firstPortion = 1 << 14

// compare finds out what the switch has. Places that are not as they should be become dirty. A switch whose flows are known is
// compared share by share: it does nothing else while it lists flows, and what changes meanwhile is sent between two shares, unless flows are missing.
func (r *Reconciler) compare(ctx context.Context, sw Switch) error {
	r.mu.Lock()
	known := r.compared == sw                                      // else it is what was left by an agent before, not what we put there
	shares := flow.Shares(usualFlows*len(r.touched), firstPortion) // as many as it should have
	if known {
		shares = flow.Shares(r.shadow.flows.filled(flow.Share{}), r.options.Portion)
	}
	atOnce := r.hurt // parts of what is missing would let packets pass that the rest would stop
	n := r.warnings(known && r.options.Observe && len(r.repairs) == 0)
	r.synced = true // unless someone asks for another comparison while this one is under way
	r.mu.Unlock()
	between := func() error { return nil } // nothing is sent before it is known what is there
	if known && !atOnce {
		between = func() error { return r.send(ctx, sw) }
	}
	drift, err := r.compareShares(ctx, sw, shares, n, between)
	r.mu.Lock()
	defer r.mu.Unlock()
	if known { // also when the connection was lost on the way: what was found until then may have been repaired
		r.counters.Drift += uint64(drift)
		r.keep(n)
		if drift > 0 {
			r.options.Log.Warn("switch was changed behind our back", "differences", drift, "repairing", !n.hold)
		}
	}
	if err != nil {
		r.synced = false
		return err
	}
	r.counters.Resyncs++
	if r.options.Observe && !n.hold {
		r.shadow.remark()
	}
	r.compared, r.fresh = sw, true
	return nil
}

// compareShares compares one share after the other, and calls between between two.
func (r *Reconciler) compareShares(ctx context.Context, sw Switch, shares []flow.Share, n *warnings, between func() error) (drift int, err error) {
	for _, share := range shares {
		found, err := r.compareShare(ctx, sw, share, n)
		drift += found
		if err == nil && !share.Last() {
			err = between()
		}
		if err != nil {
			return drift, err
		}
	}
	return drift, nil
}

// compareShare is compare for one share. It returns how many places are not as they were believed to be.
func (r *Reconciler) compareShare(ctx context.Context, sw Switch, share flow.Share, n *warnings) (drift int, err error) {
	have, err := sw.Dump(ctx, share)
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(have.Flows)*int(share.Mask()+1) >= len(r.touched) {
		r.compileTouched()
	} // else most is yet to be sent: flush compiles while the switch reads
	return r.shadow.observe(have, share, n), nil
}

// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"

	"github.com/contiv/contiv/ofnet/flow"
)

// firstPortion is the approximate number of flows compared at a time if the switch's flows are unknown. Comparing hundreds of thousands at
// once would double the memory that the table needs.
const firstPortion = 1 << 14

// compare reads what the switch has and marks places that differ as dirty. A switch whose flows are known is compared share by share: it is
// blocked while it lists flows, and changes of the meantime are sent between two shares, unless flows are missing.
func (r *Reconciler) compare(ctx context.Context, sw Switch) error {
	r.mu.Lock()
	known := r.compared == sw                                      // otherwise an earlier agent left these flows
	shares := flow.Shares(usualFlows*len(r.touched), firstPortion) // for the expected number of flows
	if known {
		shares = flow.Shares(r.shadow.flows.filled(flow.Share{}), r.options.Portion)
	}
	atOnce := r.hurt // restoring a part of the missing flows could let packets pass that the others stop
	n := r.warnings(known && r.options.Observe && len(r.repairs) == 0)
	r.synced = true // unless another comparison is requested during this one
	r.mu.Unlock()
	between := func() error { return nil } // nothing is sent before the switch's flows are known
	if known && !atOnce {
		between = func() error { return r.send(ctx, sw) }
	}
	drift, err := r.compareShares(ctx, sw, shares, n, between)
	r.mu.Lock()
	defer r.mu.Unlock()
	if known { // also if the connection was lost meanwhile: differences found until then may have been repaired
		r.counters.Drift += uint64(drift)
		r.keep(n)
		if drift > 0 {
			r.options.Log.Warn("another program changed the switch", "differences", drift, "repairing", !n.hold)
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

// compareShares compares one share after the other and calls between after each but the last.
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

// compareShare compares one share and returns the number of places that differ from the recorded ones.
func (r *Reconciler) compareShare(ctx context.Context, sw Switch, share flow.Share, n *warnings) (drift int, err error) {
	have, err := sw.Dump(ctx, share)
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(have.Flows)*int(share.Mask()+1) >= len(r.touched) {
		r.compileTouched()
	} // otherwise most flows are yet to be sent: flush compiles while the switch reads
	return r.shadow.observe(have, share, n), nil
}

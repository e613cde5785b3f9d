package bridge

import (
	"context"
	"time"

	"github.com/contiv/contiv/ofnet/flow"
)

// glanceLimit is how long a switch may take to count its flows: one that takes longer is busy, which says nothing about them.
const glanceLimit = time.Second

// glance asks the switch how many flows its tables have. When one has fewer than were put there, someone has removed some: they are compared at once, and
// until all is back the switch is not whole. What others have added or changed is for the next comparison.
func (r *Reconciler) glance(ctx context.Context) {
	r.mu.Lock()
	sw, known := r.sw, r.sw != nil && r.compared == r.sw && r.synced && !r.hurt
	r.mu.Unlock()
	if !known {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, glanceLimit)
	defer cancel()
	have, err := sw.Filled(ctx)
	if err != nil {
		return
	}
	// Changes are sent by the goroutine of Run, which is here.
	r.mu.Lock()
	defer r.mu.Unlock()
	missing := 0
	for table, n := range r.shadow.flows.inTable {
		missing += max(0, n-have[flow.TableID(table)])
	}
	if missing == 0 {
		return
	}
	r.synced, r.hurt = false, !r.options.Observe
	r.options.Log.Warn("someone has removed flows from the switch", "difference", missing, "repairing", !r.options.Observe)
}

// healed ends what glance has found, when the switch has been compared since and has everything.
func (r *Reconciler) healed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.synced {
		r.hurt = false
	}
}

// Whole says whether the switch is connected and answers, and has all flows that it was given, as far as the last glance has shown.
func (r *Reconciler) Whole() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sw != nil && r.sw.Silent() == 0 && !r.hurt
}

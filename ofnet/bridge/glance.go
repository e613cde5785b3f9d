// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"time"

	"github.com/contiv/contiv/ofnet/flow"
)

// glanceTimeout is the maximum time in which a switch must count its flows. A slower one is busy, which means nothing for its flows.
const glanceTimeout = time.Second

// glance asks the switch for the number of flows in its tables. If a table has fewer than were sent, flows were removed by someone else:
// they are compared at once, and the switch is not whole until all are restored. The next comparison finds flows that were added or
// changed.
func (r *Reconciler) glance(ctx context.Context) {
	r.mu.Lock()
	sw, known := r.sw, r.sw != nil && r.compared == r.sw && r.synced && !r.hurt
	r.mu.Unlock()
	if !known {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, glanceTimeout)
	defer cancel()
	have, err := sw.Filled(ctx)
	if err != nil {
		return
	}
	// Changes are sent by the goroutine of Run, which is the caller.
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
	r.options.Log.Warn("another program removed flows from the switch", "difference", missing, "repairing", !r.options.Observe)
}

// healed clears the result of glance once the switch has been compared since and has everything.
func (r *Reconciler) healed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.synced {
		r.hurt = false
	}
}

// Whole reports whether the switch is connected, answers, and has all flows that it was given, as far as the last glance has shown.
func (r *Reconciler) Whole() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sw != nil && r.sw.Silent() == 0 && !r.hurt
}

// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Guard is a Compiler with a substitute for an owner whose flows the switch refuses, needed if doing nothing would let packets pass that
// must not.
type Guard interface {
	// Guard returns flows that keep the owner closed, with cookies of the owner named guard, or nothing if it may stay open.
	Guard(s *ofnet.State, owner, guard ofnet.Key) flow.Set
}

// kindGuard is the kind of substitutes for refused owners.
const kindGuard ofnet.Kind = "guard"

func guardOf(owner ofnet.Key) ofnet.Key { return ofnet.Key{Kind: kindGuard, Name: owner.String()} }

// putGuard adds the substitute of a refused owner to the shadow table; the next round sends it. The caller holds the lock.
func (r *Reconciler) putGuard(owner ofnet.Key) {
	g, ok := r.compiler.(Guard)
	if !ok || owner.Kind == kindGuard {
		return
	}
	guard := guardOf(owner)
	if set := g.Guard(r.state, owner, guard); len(set.Flows) > 0 && r.shadow.accounts[guard] == nil {
		r.shadow.set(guard, set, r.latest)
		r.options.Log.Warn("traffic of the refused flows is dropped until the switch accepts them", "owner", owner.String())
		r.wakeUp()
	}
}

// dropGuard removes the substitute of an owner, if any; the next round sends the removal. The caller holds the lock.
func (r *Reconciler) dropGuard(owner ofnet.Key) {
	if guard := guardOf(owner); r.shadow.accounts[guard] != nil {
		r.shadow.set(guard, flow.Set{}, r.latest)
		r.wakeUp()
	}
}

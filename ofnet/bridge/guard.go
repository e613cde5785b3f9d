package bridge

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Guard is a Compiler that knows what to do in place of an owner whose flows the switch refuses, when to do nothing would
// let through what should not pass.
type Guard interface {
	// Guard returns what keeps the owner's business closed, with cookies of the owner named guard; nothing when it may
	// stay open.
	Guard(s *ofnet.State, owner, guard ofnet.Key) flow.Set
}

// kindGuard is the kind of what stands in for refused owners.
const kindGuard ofnet.Kind = "guard"

func guardOf(owner ofnet.Key) ofnet.Key { return ofnet.Key{Kind: kindGuard, Name: owner.String()} }

// putGuard puts the stand-in of a refused owner into the shadow table; the next round sends it. The lock is held.
func (r *Reconciler) putGuard(owner ofnet.Key) {
	g, ok := r.compiler.(Guard)
	if !ok || owner.Kind == kindGuard {
		return
	}
	guard := guardOf(owner)
	if set := g.Guard(r.state, owner, guard); len(set.Flows) > 0 && r.shadow.accounts[guard] == nil {
		r.shadow.set(guard, set, r.latest)
		r.options.Log.Warn("what the refused flows should decide is closed meanwhile", "owner", owner.String())
		r.wakeUp()
	}
}

// dropGuard withdraws the stand-in of an owner, if there is one; the next round sends that. The lock is held.
func (r *Reconciler) dropGuard(owner ofnet.Key) {
	if guard := guardOf(owner); r.shadow.accounts[guard] != nil {
		r.shadow.set(guard, flow.Set{}, r.latest)
		r.wakeUp()
	}
}

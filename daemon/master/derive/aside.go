package derive

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/store"
)

// longestPause is how long a group whose records cannot be written waits at most until it is tried again.
const longestPause = 5 * time.Minute

// aside are the owners of which a step failed: a group, or a policy whose rules are to go. The order of steps matters within one
// owner, so all steps of it wait; those of others do not. The zero aside is empty. Its methods are safe for concurrent use.
type aside struct {
	mu sync.Mutex
	of map[catalog.Ref]*trouble
}

// trouble is why an owner waits, and until when.
type trouble struct {
	err   error
	steps int
	rev   store.Revision // of the last plan that had steps of it
	tries int
	until time.Time
}

// owner is whose step it is.
func (s step) owner() catalog.Ref {
	if s.group != "" {
		return catalog.Ref{Kind: model.KindEndpointGroup().Name, Key: s.group}
	}
	name, _ := parseRule(s.rule)
	return catalog.Ref{Kind: model.KindPolicy().Name, Key: model.Key(name.TenantName, name.PolicyName)}
}

// owners are whose the steps are.
func owners(steps []step) map[catalog.Ref]struct{} {
	out := map[catalog.Ref]struct{}{}
	for _, s := range steps {
		out[s.owner()] = struct{}{}
	}
	return out
}

// due is what to plan for: what changed, and whose time has come. nil is everything.
func (a *aside) due(dirty map[catalog.Ref]struct{}, now time.Time) map[catalog.Ref]struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if dirty == nil || len(a.of) == 0 {
		return dirty
	}
	dirty = maps.Clone(dirty)
	for owner, t := range a.of {
		if !t.until.After(now) {
			dirty[owner] = struct{}{}
		}
	}
	return dirty
}

// hold takes out the steps of owners whose time has not come.
func (a *aside) hold(steps []step, rev store.Revision, now time.Time) []step {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.of) == 0 {
		return steps
	}
	held := map[catalog.Ref]int{}
	rest := slices.DeleteFunc(slices.Clone(steps), func(s step) bool {
		t := a.of[s.owner()]
		if t == nil || !t.until.After(now) {
			return false
		}
		held[s.owner()]++
		return true
	})
	for owner, n := range held {
		a.of[owner].steps, a.of[owner].rev = n, rev
	}
	return rest
}

// put sets an owner aside whose step failed; it returns the steps of others, and for how long the owner waits.
func (a *aside) put(steps []step, owner catalog.Ref, err error, rev store.Revision, now time.Time) (rest []step, pause time.Duration) {
	rest = slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return s.owner() == owner })
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = map[catalog.Ref]*trouble{}
	}
	t := a.of[owner]
	if t == nil {
		t = &trouble{}
		a.of[owner] = t
	}
	pause = min(pauseAfterFailure<<min(t.tries, 20), longestPause)
	t.err, t.steps, t.rev, t.until = err, len(steps)-len(rest), rev, now.Add(pause)
	t.tries++
	return rest, pause
}

// done forgets owners whose steps were all carried out, and those that were due at a time and had none any more.
func (a *aside) done(owners map[catalog.Ref]struct{}, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.of, func(owner catalog.Ref, t *trouble) bool {
		_, ok := owners[owner]
		return ok || !t.until.After(now)
	})
}

func (a *aside) clear() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.of)
}

// steps is how many wait.
func (a *aside) steps() (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.of {
		n += t.steps
	}
	return n
}

// list says who waits, and why.
func (a *aside) list() (out []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for owner, t := range a.of {
		out = append(out, fmt.Sprintf("%d records of %s %s cannot be written: %v", t.steps, owner.Kind, owner.Key, t.err))
	}
	slices.Sort(out)
	return out
}

// since is the refusal of a change at rev, or later ones of which some wait; nil: none does.
func (a *aside) since(rev store.Revision) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var names []string
	var why error
	for owner, t := range a.of {
		if t.rev >= rev {
			names, why = append(names, owner.Kind+" "+owner.Key), t.err
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return model.Errorf(model.CodeConflict, "", "the change is stored; but rules of %s cannot be written for agents: %v", strings.Join(names, ", "), why).Because(why).
		Try("mend what the message says, or take the change back; the leader tries again by itself, and netctl node ls says so meanwhile")
}

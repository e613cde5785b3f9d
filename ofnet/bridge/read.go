// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"errors"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
)

// ErrNotConnected is returned by Flows and Ports if there is no connection.
var ErrNotConnected = errors.New("switch is not connected; is ovs-vswitchd running")

// ErrSilent is returned by them while the switch does not answer.
var ErrSilent = errors.New("the switch does not answer; is ovs-vswitchd stopped or overloaded")

// answering returns the connection if there is one and the switch answers.
func (r *Reconciler) answering() (Switch, error) {
	sw := r.current()
	switch {
	case sw == nil:
		return nil, ErrNotConnected
	case sw.Silent() > 0:
		return nil, ErrSilent
	}
	return sw, nil
}

// Flows reads the current flows of the switch, sorted, with the owners that their cookies name.
func (r *Reconciler) Flows(ctx context.Context) ([]LiveFlow, error) {
	sw, err := r.answering()
	if err != nil {
		return nil, err
	}
	list, err := sw.Stats(ctx, allFlows())
	if err != nil {
		return nil, err
	}
	out := make([]LiveFlow, len(list))
	r.mu.Lock()
	rules := r.ruleNumbers()
	for i := range list {
		owner, ofRule := rules[list[i].Flow.Cookie.Owner()]
		if !ofRule {
			owner = r.shadow.behind(&list[i].Flow)
		}
		out[i] = LiveFlow{Flow: list[i].Flow, Owner: owner,
			Packets: list[i].Packets, Bytes: list[i].Bytes, Seconds: list[i].Seconds}
	}
	r.mu.Unlock()
	slices.SortFunc(out, func(a, b LiveFlow) int { return a.Compare(b.Key) })
	return out, nil
}

// Owners resolves the owner numbers of cookies (flow.Owner); an unknown number has the zero Key. Flows of rules belong to a tier and are
// named by rule; those of class policies belong to a level and are named by policy.
func (r *Reconciler) Owners(numbers []uint64) []ofnet.Key {
	r.mu.Lock()
	defer r.mu.Unlock()
	rules := r.ruleNumbers()
	out := make([]ofnet.Key, len(numbers))
	for i, n := range numbers {
		out[i] = r.ownerOf(n, rules)
	}
	return out
}

// ruleNumbers maps the numbers in flows to the keys of rules and class policies.
func (r *Reconciler) ruleNumbers() map[uint64]ofnet.Key {
	rules := make(map[uint64]ofnet.Key, r.state.Rules.Len())
	for rule := range r.state.AttachedRules() {
		rules[flow.Owner(rule.Key())] = rule.Key()
	}
	for p := range r.state.ClassPolicies.Values() {
		rules[flow.Owner(p.Key())] = p.Key()
	}
	return rules
}

func (r *Reconciler) ownerOf(number uint64, rules map[uint64]ofnet.Key) ofnet.Key {
	if a := r.shadow.byNumber[number]; a != nil {
		return a.owner
	}
	return rules[number]
}

// UpToDate returns a number that changes with the State, and reports whether the switch has all flows of the State past a barrier, as far as
// is known: nothing waits, is refused, or was found missing. It takes constant time.
func (r *Reconciler) UpToDate() (version uint64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.version, r.complete && r.sw != nil && r.compared == r.sw && r.sw.Silent() == 0 && r.synced && !r.hurt && !r.sending &&
		len(r.touched) == 0 && len(r.shadow.pending) == 0 && len(r.shadow.failed) == 0
}

// Wanted returns the desired flow of a place; ok is false if there is none.
func (r *Reconciler) Wanted(k flow.Key) (f flow.Flow, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.shadow.flows.places.find(k)
	if c == nil || !c.wanted() {
		return flow.Flow{}, false
	}
	return flow.Flow{Key: k, Cookie: c.desired.cookie, Actions: c.desired.actions}, true
}

// Hits are the counters of the flows that one object caused.
type Hits struct {
	Packets, Bytes uint64
	Flows          int
	Seconds        uint32 // since the newest of the flows was added
}

// add adds the counters of one more flow.
func (h *Hits) add(f *openflow.FlowStats) {
	if h.Flows == 0 || f.Seconds < h.Seconds {
		h.Seconds = f.Seconds
	}
	h.Flows++
	h.Packets += f.Packets
	h.Bytes += f.Bytes
}

// Hits reads the counters of a feature's flows, summed by the owner number in their cookies (flow.Owner). It requests no other flows.
func (r *Reconciler) Hits(ctx context.Context, feature uint8) (map[uint64]Hits, error) {
	sw, err := r.answering()
	if err != nil {
		return nil, err
	}
	only := allFlows()
	only.Cookie, only.CookieMask = flow.NewCookie(feature, 0, 0), uint64(flow.NewCookie(0xff, 0, 0))
	list, err := sw.Stats(ctx, only)
	if err != nil {
		return nil, err
	}
	out := map[uint64]Hits{}
	for i := range list {
		h := out[list[i].Flow.Cookie.Owner()]
		h.add(&list[i])
		out[list[i].Flow.Cookie.Owner()] = h
	}
	return out, nil
}

// HitsOf reads the summed counters of the flows with a cookie. The switch finds them without a search.
func (r *Reconciler) HitsOf(ctx context.Context, c flow.Cookie) (h Hits, err error) {
	sw, err := r.answering()
	if err != nil {
		return h, err
	}
	only := allFlows()
	only.Cookie, only.CookieMask = c, 1<<64-1
	list, err := sw.Stats(ctx, only)
	for i := range list {
		h.add(&list[i])
	}
	return h, err
}

// Ports lists the current ports of the switch.
func (r *Reconciler) Ports(ctx context.Context) ([]Port, error) {
	sw, err := r.answering()
	if err != nil {
		return nil, err
	}
	return sw.Ports(ctx)
}

// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
)

const (
	// ruleYoung is the maximum age of a rule's flows whose refusals are reported.
	ruleYoung = 24 * time.Hour
	// refusedLately is how long ago the last packet may have been refused.
	refusedLately = time.Minute
)

// Refusals finds recent rules that refuse packets now: the usual cause of connections that worked yesterday. It does not report rules
// that have always refused.
type Refusals struct {
	Host  string
	Rules func() []ofnet.AttachedRule
	Hits  func(ctx context.Context) (map[uint64]bridge.Hits, error) // by flow.Owner of the rule
	Now   func() time.Time

	mu     sync.Mutex
	since  time.Time          // of the first look
	counts map[string]refused // by the rule's key
}

// refused is what a rule has refused.
type refused struct {
	packets uint64
	last    time.Time // when it was seen to refuse one more; zero: never
}

// Check looks every fifteen seconds.
func (r *Refusals) Check() check.Check {
	return check.Check{Name: "refusals", Interval: 15 * time.Second, Look: r.look}
}

func (r *Refusals) look(ctx context.Context) (out []model.Finding) {
	rules := slices.DeleteFunc(r.Rules(), func(a ofnet.AttachedRule) bool { return !a.Deny || a.Priority == ofnet.PriorityClosed })
	var hits map[uint64]bridge.Hits
	if len(rules) > 0 {
		var err error
		if hits, err = r.Hits(ctx); err != nil {
			return []model.Finding{{Code: model.FindingRefusalsUnknown, Severity: model.SeverityUnknown, Object: "switch/contiv0", Evidence: "the counters of rules cannot be read: " + err.Error(),
				Remedy: "see what is found about the switch of this host"}}
		}
	}
	now := r.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.since.IsZero() {
		r.since = now
	}
	had := r.counts
	r.counts = make(map[string]refused, len(rules))
	for _, a := range rules {
		h, here := hits[flow.Owner(a.Key())]
		age := time.Duration(h.Seconds) * time.Second
		if !here || age >= ruleYoung {
			continue
		}
		key := a.Key().Name
		n, known := had[key]
		if h.Packets > n.packets && (known || now.Add(-age).After(r.since)) { // what was counted before this agent looked may be old
			n.last = now
		}
		n.packets = h.Packets
		r.counts[key] = n
		if n.last.IsZero() || now.Sub(n.last) > refusedLately {
			continue
		}
		rule := "rule/" + a.ID.String()
		out = append(out, model.Finding{Code: model.FindingRuleRefuses, Severity: model.SeverityInfo, Object: rule,
			Evidence: fmt.Sprintf("its flows are %s old on this host, and have refused %d packets at group %s, the last of them within %s", age, h.Packets, a.By.Group(), refusedLately),
			Remedy:   "if that is intended, do nothing; else allow it by a rule of a higher priority, or remove this rule", Next: "netctl flows " + r.Host + " --owner " + rule})
	}
	slices.SortFunc(out, func(a, b model.Finding) int { return cmp.Compare(a.Object+a.Evidence, b.Object+b.Evidence) })
	return out
}

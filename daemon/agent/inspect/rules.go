// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// phaseClosed is the phase of a rule that replaces a malformed record.
const phaseClosed = "closed"

// ruleStatus lists the rules of groups that have members here, with their counters.
func (o *Options) ruleStatus(ctx context.Context) ([]model.RuleStatus, error) {
	out := []model.RuleStatus{}
	var rules []ofnet.AttachedRule
	o.Forward.View(func(s *ofnet.State) { rules = slices.Collect(s.AttachedRules()) })
	if len(rules) == 0 {
		return out, nil
	}
	hits, err := o.Forward.Hits(ctx, o.Pipeline.Number("policy"))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rules, func(a, b ofnet.AttachedRule) int { return strings.Compare(a.Key().Name, b.Key().Name) })
	for _, r := range rules {
		owner, here := o.Forward.Owner(r.Tier().Key())
		if !here {
			continue
		}
		n := hits[flow.Owner(r.Key())]
		s := model.RuleStatus{Rule: r.ID.String(), Record: r.Key().Name, Group: r.By.Group(), Direction: r.Direction.String(), Action: action(r.Rule),
			Phase: owner.Phase.String(), Error: owner.Err, Packets: n.Packets, Bytes: n.Bytes}
		if r.Priority == ofnet.PriorityClosed {
			s.Phase, s.Error = phaseClosed, "the record cannot be read, so the group is closed in this direction"
		}
		out = append(out, s)
	}
	return out, nil
}

func action(r *ofnet.Rule) string {
	if r.Deny {
		return "deny"
	}
	return "allow"
}

// rules returns the rules and their counters. The query may select a policy, "tenant:policy", or a rule of one, "tenant:policy:rule".
func (o *Options) rules(w http.ResponseWriter, r *http.Request) {
	all, err := o.ruleStatus(r.Context())
	if err != nil {
		text(w, http.StatusServiceUnavailable, "read the counters of rules: "+err.Error()+"\n")
		return
	}
	of := r.URL.Query().Get("of")
	out := []model.RuleStatus{}
	for _, s := range all {
		if of == "" || identity.Within(s.Rule, of) {
			out = append(out, s)
		}
	}
	answer(w, out)
}

// ruleMetrics are the counters of rules, read from the switch at each scrape. They are absent while the switch does not answer.
type ruleMetrics struct {
	options        Options
	packets, bytes *prometheus.Desc
}

func newRuleMetrics(o Options) *ruleMetrics {
	labels := []string{"rule", "group", "direction", "action"}
	return &ruleMetrics{o, prometheus.NewDesc("contiv_agent_rule_packets_total", "packets that a rule decided about", labels, nil),
		prometheus.NewDesc("contiv_agent_rule_bytes_total", "bytes that a rule decided about", labels, nil)}
}

// Describe implements prometheus.Collector.
func (m *ruleMetrics) Describe(out chan<- *prometheus.Desc) { out <- m.packets; out <- m.bytes }

// Collect reads the counters.
func (m *ruleMetrics) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	all, err := m.options.ruleStatus(ctx)
	if err != nil {
		return
	}
	for _, s := range all {
		labels := []string{s.Rule, s.Group, s.Direction, s.Action}
		out <- prometheus.MustNewConstMetric(m.packets, prometheus.CounterValue, float64(s.Packets), labels...)
		out <- prometheus.MustNewConstMetric(m.bytes, prometheus.CounterValue, float64(s.Bytes), labels...)
	}
}

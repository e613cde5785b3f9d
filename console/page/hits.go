// SPDX-License-Identifier: Apache-2.0

package page

import (
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
)

// hits is what a rule decided about, summed over the hosts that answered.
type hits struct {
	packets, bytes uint64
	rate           float64 // packets a second
	rated          bool
	hosts          int
	worst          string // phase of the host that is worst off
	why            string // of the worst
}

func ruleQuestions(s *feed.Snapshot) (out []feed.Question) {
	for _, n := range agents(s) {
		out = append(out, feed.Question{Topic: feed.Rules, Host: n.Name})
	}
	return out
}

// ruleHits sums up the hosts' answers by rule.
func ruleHits(s *feed.Snapshot) map[string]*hits {
	out := map[string]*hits{}
	for _, q := range ruleQuestions(s) {
		list, a, ok := feed.Of[[]model.RuleStatus](s, q)
		if !ok {
			continue
		}
		before := map[string]uint64{}
		was, known := a.Before.([]model.RuleStatus)
		for _, r := range was {
			before[r.Record] = r.Packets
		}
		took := a.At.Sub(a.BeforeAt)
		for _, r := range list {
			h := out[r.Rule]
			if h == nil {
				h = &hits{}
				out[r.Rule] = h
			}
			h.packets, h.bytes, h.hosts = h.packets+r.Packets, h.bytes+r.Bytes, h.hosts+1
			if severity(r.Phase) > severity(h.worst) {
				h.worst, h.why = r.Phase, r.Error
			}
			if n, ok := before[r.Record]; known && ok && took > 0 && took < time.Minute && r.Packets >= n {
				h.rate, h.rated = h.rate+float64(r.Packets-n)/took.Seconds(), true
			}
		}
	}
	return out
}

// severity orders the phases of a rule: the worst is the highest.
func severity(phase string) int {
	return slices.Index([]string{"done", "pending", "closed", "error"}, phase) + 1
}

// silentHosts are the hosts whose rules are not known.
func silentHosts(s *feed.Snapshot) (out []string) {
	for _, q := range ruleQuestions(s) {
		if a := s.Answers[q]; a.Value == nil || a.Err != "" {
			out = append(out, q.Host)
		}
	}
	return out
}

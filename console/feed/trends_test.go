// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"maps"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Packets are counted by rule over the last minutes, also when a counter starts again or a host is silent for a while.
func TestHitsOfTheLastMinutes(t *testing.T) {
	start := time.Date(2030, 1, 2, 14, 0, 0, 0, time.UTC)
	host := func(name string, hits ...uint64) model.HostCounters {
		out := model.HostCounters{Host: name}
		for i, n := range hits {
			out.Rules = append(out.Rules, model.RuleCounter{Rule: []string{"t:p:1", "t:p:2"}[i], Group: "t:g", Hits: model.FlowCount{Packets: n}})
		}
		return out
	}
	silent := model.HostCounters{Host: "h2", Unknown: "did not answer"}
	h := &hitCount{}
	for _, step := range []struct {
		name  string
		after time.Duration
		hosts []model.HostCounters
		want  map[string]uint64
		span  time.Duration
	}{
		{"nothing is known at first", 0, []model.HostCounters{host("h1", 500), host("h2", 70)}, map[string]uint64{}, 0},
		{"what has come", 10 * time.Second, []model.HostCounters{host("h1", 503), host("h2", 71)}, map[string]uint64{"t:p:1": 4}, 10 * time.Second},
		{"a new rule counts from 0", 20 * time.Second, []model.HostCounters{host("h1", 503, 9), silent}, map[string]uint64{"t:p:1": 4, "t:p:2": 9}, 20 * time.Second},
		{"a counter that started again", 30 * time.Second, []model.HostCounters{host("h1", 2, 9), host("h2", 75)}, map[string]uint64{"t:p:1": 10, "t:p:2": 9}, 30 * time.Second},
		{"a new host has no past", 40 * time.Second, []model.HostCounters{host("h1", 2, 9), host("h2", 75), host("h3", 1000)}, map[string]uint64{"t:p:1": 10, "t:p:2": 9}, 40 * time.Second},
		{"what is older does not count", 5*time.Minute + 15*time.Second, []model.HostCounters{host("h1", 3, 9), host("h2", 75), host("h3", 1000)}, map[string]uint64{"t:p:1": 7}, 4*time.Minute + 55*time.Second},
		{"after a long pause nothing is known", 30 * time.Minute, []model.HostCounters{host("h1", 900, 9)}, map[string]uint64{}, 0},
	} {
		h.add(start.Add(step.after), &model.Counters{Hosts: step.hosts})
		got, span := h.within()
		if !maps.Equal(got, step.want) || span != step.span {
			t.Errorf("%s: want %v in %v, got %v in %v", step.name, step.want, step.span, got, span)
		}
	}
}

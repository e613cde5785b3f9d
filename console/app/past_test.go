// SPDX-License-Identifier: Apache-2.0

package app

import (
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
)

// earlier is the realistic cluster as it is known twelve minutes before now: without nodes, traffic, and what Kubernetes owns.
func earlier() (*feed.Snapshot, time.Time) {
	s, now := realistic()
	at := now.Add(-12 * time.Minute)
	s.Moment, s.Received, s.Nodes, s.Rates, s.Watching = at, at, nil, feed.Rates{}, true
	for _, k := range model.Kinds() {
		if k.Owner != "" {
			s.Objects[k.Name] = nil
		}
	}
	const refused = "at: the answer of this route is not recorded: it is known only of the present"
	kept := map[feed.Topic]bool{feed.Addresses: true, feed.AddressHistory: true, feed.History: true, feed.Why: true, feed.Described: true, feed.Find: true}
	for q, a := range s.Answers {
		if a.At = at; !kept[q.Topic] {
			a = feed.Answer{Tried: at, Err: refused}
		}
		s.Answers[q] = a
	}
	code := model.FindingUnderlayMTU
	s.Answers[page.HealthQuestion()] = feed.Answer{At: at, Tried: at, Value: model.Health{At: at.Format(time.RFC3339), Endpoints: len(s.Endpoints), Findings: []model.Finding{
		{Code: code, Severity: model.SeverityError, Host: "node-03", Object: "host/node-03", Evidence: "eth1 has an MTU of 1400, want 1550", Remedy: "raise it", Since: at.Add(-time.Hour).Format(time.RFC3339)}}}}
	s.Events = s.Events[:2]
	s.Marks = []feed.Mark{{At: now.Add(-26 * time.Hour)}, {At: now.Add(-3 * time.Hour)}, {At: now.Add(-72 * time.Minute), Finding: true}, {At: at}, {At: now.Add(-14 * time.Second)}, {At: now.Add(-time.Second)}}
	return s, now
}

// returned is a cluster whose earlier moments can be shown.
type returned struct {
	*cluster
	to []time.Time
}

// Travel notes the moment.
func (r *returned) Travel(to time.Time) { r.to = append(r.to, to) }

// past is a model that shows the earlier cluster.
func past(t *testing.T, first *page.Page, width, height int, editor ...string) (*Model, *returned) {
	t.Helper()
	s, now := earlier()
	r := &returned{cluster: &cluster{}}
	m := New(t.Context(), r, mono(t, false), first, now, editor...)
	m.width, m.height = width, height
	m.travel(s.Moment)
	m.Update(s)
	return m, r
}

// Pages of an earlier moment show it and what is not known of it.
func TestGoldenPast(t *testing.T) {
	for name, path := range map[string]string{"overview": "overview", "rules": "rules", "topology": "topology", "findings": "findings", "flows": "flows/node-01", "matrix": "matrix/shop", "logs": "node/node-01",
		"policies": "networkPolicies", "services": "services", "addresses": "addresses"} {
		m, _ := past(t, opened(t, path), 120, 30)
		frame := m.Frame()
		if wrong := exact(frame, 120, 30); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
		golden(t, "past-"+name+".txt", Plain(frame)+"\n")
	}
}

// No page calls unknown what is known, or known what is not: none shows a host as there or as missing.
func TestNothingLiveInThePast(t *testing.T) {
	for _, e := range screens() {
		m, _ := past(t, e.make(), minWidth, minHeight)
		frame := Plain(m.Frame())
		for _, wrong := range []string{"no agents registered", "no agent is registered", "0 hosts", "HEALTHY", "● live", "CONNECTION LOST"} {
			if strings.Contains(frame, wrong) {
				t.Errorf("%s: %q in\n%s", e.name, wrong, frame)
			}
		}
		if !strings.Contains(frame, "THE PAST") || !strings.Contains(frame, "past") {
			t.Errorf("%s: the moment is not to be seen in\n%s", e.name, frame)
		}
	}
}

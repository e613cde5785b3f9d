// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

// A host whose agent hangs holds up neither the others nor the snapshots.
func TestSickAgent(t *testing.T) {
	release := make(chan struct{})
	master := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch {
		case strings.Contains(q.URL.Path, "/agents/sick/"):
			select {
			case <-release:
			case <-q.Context().Done():
			}
		case strings.Contains(q.URL.Path, "/agents/well/"):
			_, _ = w.Write([]byte(`[{"table":"classify"}]`))
		case q.URL.Path == "/api/v1/nodes":
			_, _ = w.Write([]byte(`[]`))
		default:
			http.Error(w, "not here", http.StatusServiceUnavailable)
		}
	}))
	defer master.Close()
	defer close(release)
	f := New(&client.Client{Base: master.URL}, time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	snapshots, done := make(chan *Snapshot), make(chan error, 1)
	go func() {
		done <- f.Run(ctx, func(s *Snapshot) {
			select {
			case snapshots <- s:
			case <-ctx.Done():
			}
		})
	}()
	well, sick := Question{Topic: Flows, Host: "well"}, Question{Topic: Flows, Host: "sick"}
	f.Ask([]Question{sick, well})
	s := until(t, "two answers of the healthy agent", snapshots, func(s *Snapshot) bool { return s.Answers[well].Before != nil })
	if flows, _, ok := Of[[]model.Flow](s, well); !ok || flows[0].Table != "classify" {
		t.Errorf("want the flows of the healthy agent, got %v", flows)
	}
	if a := s.Answers[sick]; a.Value != nil {
		t.Errorf("want nothing of the sick agent, got %v", a)
	}
	until(t, "the reason of the sick agent", snapshots, func(s *Snapshot) bool { return s.Answers[sick].Err != "" })
	f.Ask(nil)
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run after cancel: %v", err)
	}
}

func TestAnswers(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	s := newStore("", func() time.Time { return now })
	q, old := Question{Topic: Rules, Host: "h1"}, Question{Topic: Rules, Host: "h2"}
	s.answer(old, 1, nil)
	now = now.Add(forget + time.Second)
	s.answer(q, 1, nil)
	now = now.Add(time.Second)
	s.answer(q, 2, nil)
	s.answer(q, nil, errors.New("gone"))
	a := s.snapshot().Answers[q]
	if a.Value != 2 || a.Before != 1 || a.Err != "gone" || a.At.Sub(a.BeforeAt) != time.Second {
		t.Errorf("want the last good answer, the one before and the reason, got %+v", a)
	}
	if _, there := s.snapshot().Answers[old]; there {
		t.Error("want an answer that nobody asks for any more forgotten")
	}
}

func TestRates(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	agent := func(mods uint64) model.Node {
		return model.Node{Name: "h1", Role: model.RoleAgent, Address: "a", Since: "x", FlowMods: mods}
	}
	master := func(role model.NodeRole, requests uint64) model.Node {
		return model.Node{Name: "m", Role: role, Address: "m", Since: "x", Requests: requests}
	}
	steps := []struct {
		churn          int
		nodes          []model.Node
		mods, requests float64
	}{
		{0, []model.Node{agent(100), master(model.RoleFollower, 10)}, -1, -1},
		{4, []model.Node{agent(150), master(model.RoleLeader, 30)}, 25, 10},
		{0, []model.Node{agent(3), master(model.RoleLeader, 30)}, 0, 0},            // the agent started again
		{0, []model.Node{{Name: "h1", Role: model.RoleAgent, Address: "a"}}, 0, 0}, // it does not answer
		{0, []model.Node{agent(3), master(model.RoleLeader, 40)}, 0, 0},            // a master that was away begins again
		{0, []model.Node{agent(5), master(model.RoleLeader, 42)}, 1, 1},
	}
	var m meter
	for i, step := range steps {
		m.churn = step.churn
		m.sample(now, step.nodes)
		now = now.Add(2 * time.Second)
		if i == 0 {
			if len(m.rates.Requests) > 0 {
				t.Error("want nothing after one look")
			}
			continue
		}
		last := i - 1
		if p := m.rates; p.FlowMods[last] != step.mods || p.Requests[last] != step.requests || p.Endpoints[last] != float64(step.churn)/2 {
			t.Errorf("step %d: want %v changes and %v requests a second, got %v", i, step.mods, step.requests, p)
		}
	}
}

// An answer stays, with its age, as long as someone asks, whether they are answered or not; what no one asks is forgotten.
func TestAnswersAreKeptWhileTheyAreAsked(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	s := newStore("", func() time.Time { return now })
	asked, silent := Question{Topic: Flows, Host: "h1"}, Question{Topic: Flows, Host: "h2"}
	s.answer(asked, "flows", nil)
	first := now
	s.answer(silent, nil, errors.New("nobody there"))
	for range 30 {
		now = now.Add(5 * time.Second)
		s.answer(asked, nil, errors.New("hangs"))
	}
	answers := s.snapshot().Answers
	if a := answers[asked]; a.Value != "flows" || !a.At.Equal(first) || a.Err != "hangs" {
		t.Errorf("want the answer of %v, and why there is none since, got %+v", first, a)
	}
	if a, known := answers[silent]; known {
		t.Errorf("nobody asks h2 any more: want it forgotten, got %+v", a)
	}
	i := newRequester()
	i.wanted = []Question{asked}
	i.due(now)
	i.done(asked)
	i.wanted = nil
	if i.due(now.Add(2 * forget)); len(i.asked) > 0 {
		t.Errorf("nobody wants to know: want it forgotten when it was asked, got %v", i.asked)
	}
}

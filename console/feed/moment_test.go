// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// gone is a cluster whose container c1 is gone, and the time at which it was there.
func gone(t *testing.T) (*mastertest.Master, time.Time) {
	t.Helper()
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24", "attach blue c1")
	changes, err := m.History(t.Context(), client.HistoryQuery{Limit: 1})
	if err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	at := changes[0].Time
	for !time.Now().After(at.Add(time.Millisecond)) { // the history has milliseconds
		if _, err := m.Tenants().List(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	m.Must(t, "detach blue c1", "tenant later")
	return m, at
}

// A feed shows an earlier moment after Travel, changes nothing there, and returns to the present.
func TestTravel(t *testing.T) {
	m, at := gone(t)
	f := New(m.Client, time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	snapshots, ended := make(chan *Snapshot), make(chan error, 1)
	go func() {
		ended <- f.Run(ctx, func(s *Snapshot) {
			select {
			case snapshots <- s:
			case <-ctx.Done():
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	until := func(what string, is func(s *Snapshot) bool) *Snapshot {
		t.Helper()
		timeout := time.After(20 * time.Second)
		for {
			select {
			case s := <-snapshots:
				if is(s) {
					return s
				}
			case <-timeout:
				t.Fatalf("no snapshot of %s", what)
			}
		}
	}
	until("the present", func(s *Snapshot) bool { return s.Synced && len(s.Objects["tenant"]) == 2 && !s.Past() })
	why := Question{Topic: Leadership}
	f.Ask([]Question{why, {Topic: Health}})
	f.Travel(at)
	s := until("the past", func(s *Snapshot) bool {
		return s.Moment.Equal(at) && s.Synced && len(s.Events) > 0 && s.Answers[Question{Topic: Health}].Value != nil && s.Answers[why].Err != "" && len(s.Pools) > 0
	})
	if len(s.Endpoints) != 1 || s.Endpoints[0].EndpointID != "c1" || len(s.Objects["tenant"]) != 1 || s.Nodes != nil || s.Pools["default:blue"].Allocated == "" {
		t.Errorf("want the endpoint, one tenant, no nodes and the addresses of then, got %+v, %d, %v, %+v", s.Endpoints, len(s.Objects["tenant"]), s.Nodes, s.Pools)
	}
	if last := s.Events[len(s.Events)-1]; last.At.After(at) || last.Kind != "endpoint" {
		t.Errorf("want the event of the endpoint as the last, got %+v", last)
	}
	if n := len(s.Marks); n < 3 || s.Marks[0].At.After(at) || !s.Marks[n-1].At.After(at) {
		t.Errorf("want marks before and after, got %+v", s.Marks)
	}
	if !strings.Contains(s.Answers[why].Err, "is not recorded") {
		t.Errorf("want why nothing is known of leaders, got %+v", s.Answers[why])
	}
	if err := f.Put(ctx, &model.Tenant{TenantName: "never"}); !errors.Is(err, errPast) {
		t.Errorf("want a refusal of the change, got %v", err)
	}
	f.Travel(time.Time{})
	until("the present again", func(s *Snapshot) bool {
		return !s.Past() && s.Synced && len(s.Endpoints) == 0 && len(s.Objects["tenant"]) == 2 && s.Nodes != nil
	})
	if err := f.Delete(ctx, model.KindTenant(), "later"); err != nil {
		t.Error(err)
	}
}

// A single frame of an earlier moment is complete, with the answers that its page asks for.
func TestOnceAtAMoment(t *testing.T) {
	m, at := gone(t)
	f := New(m.Client, time.Now)
	f.Travel(at)
	s, err := f.Once(t.Context(), func(*Snapshot) []Question { return []Question{{Topic: Addresses, Key: "default:blue"}} })
	if err != nil {
		t.Fatal(err)
	}
	owners, _, ok := Of[[]model.AddressState](s, Question{Topic: Addresses, Key: "default:blue"})
	if len(s.Endpoints) != 1 || !ok || len(owners) != 1 || owners[0].Owner == nil || owners[0].Owner.ID != "default:blue:c1" {
		t.Errorf("want the container and its address, got %+v, %+v", s.Endpoints, owners)
	}
}

// A moment that the history does not have is refused with the reason.
func TestRefusedMoment(t *testing.T) {
	m, at := gone(t)
	f := New(m.Client, time.Now)
	f.live = &client.Client{Base: m.URL + "/nowhere", HTTP: m.Client.HTTP}
	f.Travel(at)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var last *Snapshot
	if err := f.Run(ctx, func(s *Snapshot) {
		if last = s; s.Refused != "" {
			cancel()
		}
	}); err != nil {
		t.Error(err)
	}
	if last == nil || last.Refused == "" || last.Synced || !last.Moment.Equal(at) {
		t.Errorf("want a refusal, got %+v", last)
	}
}

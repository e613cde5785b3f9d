// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/contiv/contiv/api/describe"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// until reads snapshots until one is as wanted.
func until(t *testing.T, what string, snapshots <-chan *Snapshot, wanted func(*Snapshot) bool) *Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		select {
		case s := <-snapshots:
			if wanted(s) {
				return s
			}
		case <-ctx.Done():
			t.Fatalf("no snapshot with %s", what)
		}
	}
}

func TestFollowsTheCluster(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	f := New(m.Client, time.Now)
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
	until(t, "the default tenant", snapshots, func(s *Snapshot) bool { return s.Synced && len(s.Objects["tenant"]) == 1 })
	if _, err := m.Networks().Put(ctx, &model.Network{TenantName: "default", NetworkName: "blue", Encap: "vxlan", Subnet: "10.1.1.0/24"}); err != nil {
		t.Fatal(err)
	}
	m.Endpoint(t, "default", "blue", "", "web", "")
	s := until(t, "the endpoint", snapshots, func(s *Snapshot) bool { return len(s.Endpoints) == 1 && s.Pools["default:blue"].Count == 1 })
	if !s.Watching || s.Err != "" || s.Revision == 0 {
		t.Errorf("want a live stream, got watching %v, error %q, revision %d", s.Watching, s.Err, s.Revision)
	}
	d, err := f.describe(ctx, Question{Topic: Described, Kind: "network", Key: "default:blue"})
	if err != nil || d.Key != "default:blue" || !slices.ContainsFunc(d.Sections, func(x describe.Section) bool { return x.Title == "Endpoints" && len(x.Rows) == 1 }) {
		t.Errorf("describe: got %+v, %v", d, err)
	}
	if err := m.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: "default", NetworkName: "blue", EndpointID: "web"}); err != nil {
		t.Fatal(err)
	}
	until(t, "no endpoint", snapshots, func(s *Snapshot) bool { return len(s.Endpoints) == 0 })
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run after cancel: %v", err)
	}
}

// A rule changes in place, as by netctl apply.
func TestPutChangesARule(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "policy p", "rule p:1 direction=in action=allow protocol=tcp port=80")
	f := New(m.Client, time.Now)
	rule, err := m.Rules().Get(t.Context(), "default", "p", "1")
	if err != nil {
		t.Fatal(err)
	}
	rule.Port = 8080
	if err := f.Put(t.Context(), rule); err != nil {
		t.Fatal(err)
	}
	if now, err := m.Rules().Get(t.Context(), "default", "p", "1"); err != nil || now.Port != 8080 {
		t.Errorf("want port 8080, got %+v, %v", now, err)
	}
}

func TestRememberIsBounded(t *testing.T) {
	s := newStore("", time.Now)
	for i := range uint64(EventLimit + 5) {
		s.applyHappened(HappenedInput{Changes: []model.HistoryEntry{{Sequence: i + 1, Verb: "delete", Kind: "network", Key: "a:b", Revision: i}}})
	}
	if e := s.snapshot().Events; len(e) != EventLimit || e[0].Revision != 5 {
		t.Errorf("want the last %d, got %d from revision %d", EventLimit, len(e), e[0].Revision)
	}
}

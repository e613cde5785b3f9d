// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// A change of a node between two readings is one event; the first reading has none.
func TestTidings(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	s := newStore("", func() time.Time { return now })
	well := []model.Node{
		{Name: "m1", Address: "m1:1", Role: model.RoleLeader, Ready: true, Since: "x"}, {Name: "m2", Address: "m2:1", Role: model.RoleFollower, Ready: true, Since: "x"},
		{Name: "h1", Role: model.RoleAgent, Ready: true, Since: "x"}, {Name: "h2", Role: model.RoleAgent, Ready: true, Since: "x"},
	}
	s.nodes(well)
	s.nodes(well)
	if got := s.snapshot().Events; len(got) != 0 {
		t.Fatalf("nothing has happened, got %+v", got)
	}
	s.nodes([]model.Node{
		{Name: "m1", Address: "m1:1", Role: model.RoleFollower, Reason: "refused"}, {Name: "m2", Address: "m2:1", Role: model.RoleLeader, Ready: true, Since: "x"},
		{Name: "h1", Role: model.RoleAgent, Ready: true, Errors: 2, Reason: "endpoint/e: no", Since: "x"}, {Name: "h3", Role: model.RoleAgent, Ready: true, Since: "x"},
	})
	s.nodes([]model.Node{
		{Name: "m1", Address: "m1:1", Role: model.RoleFollower, Ready: true, Since: "x"}, {Name: "m2", Address: "m2:1", Role: model.RoleLeader, Ready: true, Since: "x"},
		{Name: "h1", Role: model.RoleAgent, Ready: true, Since: "x"}, {Name: "h3", Role: model.RoleAgent, Ready: true, Since: "x"},
	})
	want := []string{
		"warn m1 is not ready: refused", "note m2 leads now", "warn h1 has 2 objects with problems: endpoint/e: no", "note h3 has come",
		"warn h2 has disappeared: its registration has expired", "note m1 is ready again", "note h1 no longer has objects with problems",
	}
	got := s.snapshot().Events
	if len(got) != len(want) {
		t.Fatalf("want %d events, got %+v", len(want), got)
	}
	for i, e := range got {
		if text := string(e.Type) + " " + e.Key + " " + e.Text; text != want[i] || e.Kind != NodeKind || !e.At.Equal(now) {
			t.Errorf("event %d: want %q, got %q (%+v)", i, want[i], text, e)
		}
	}
}

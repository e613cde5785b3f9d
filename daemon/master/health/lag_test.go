// SPDX-License-Identifier: Apache-2.0

package health

import (
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// A host that is always some revision behind, and applies each within a moment, is well; one that does not apply a revision is not, and
// since when counts from that revision.
func TestFollow(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name  string
		begun string                             // by the timeline
		at    func(second int) (rev, lag uint64) // of the host
		want  model.Severity                     // after 30 seconds
		since int                                // seconds
	}{
		{"it changes all the time", "", func(s int) (uint64, uint64) { return uint64(100 + 3*s), 2 }, model.SeverityInfo, 30},
		{"one is not applied", "", func(int) (uint64, uint64) { return 100, 2 }, model.SeverityWarning, 0},
		{"more and more are not applied", "", func(s int) (uint64, uint64) { return 100, uint64(2 + s) }, model.SeverityWarning, 0},
		{"it stops after a while", "", func(s int) (uint64, uint64) { return 100 + uint64(min(s, 15)), 1 }, model.SeverityWarning, 15},
		{"the timeline knows of it", "2025-12-31T23:59:00Z", func(int) (uint64, uint64) { return 100, 2 }, model.SeverityError, -60},
		{"it has caught up since the timeline", "2025-12-31T23:59:00Z", func(s int) (uint64, uint64) { return uint64(100 + 3*s), 2 }, model.SeverityInfo, 30},
	} {
		var m Memory
		var got model.Finding
		for second := range 31 {
			now := start.Add(time.Duration(second) * time.Second)
			rev, lag := row.at(second)
			nodes := []model.Node{{Name: "h1", Role: model.RoleAgent, Ready: true, Since: "2025-01-01T00:00:00Z", Revision: rev, Lag: lag}, {Name: "h2", Role: model.RoleAgent, Ready: true, Since: "2025-01-01T00:00:00Z", Revision: rev}}
			list := agents(&Snapshot{Nodes: nodes})
			m.Follow(nodes, now)
			m.Date(list, func(*model.Finding) string { return row.begun }, now)
			if len(list) != 1 || list[0].Code != model.FindingAgentLag || list[0].Object != "host/h1" {
				t.Fatalf("%s: got %+v, want the lag of h1", row.name, list)
			}
			got = list[0]
		}
		if want := start.Add(time.Duration(row.since) * time.Second).Format(time.RFC3339); got.Severity != row.want || got.Since != want {
			t.Errorf("%s: got %s since %s, want %s since %s", row.name, got.Severity, got.Since, row.want, want)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package page

import (
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
)

// A cluster that asks no one for a proof is never shown as healthy.
func TestInsecure(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for base, want := range map[string]string{"https://192.0.2.1:9999": "HEALTHY", "http://192.0.2.1:9999": "INSECURE"} {
		s := &feed.Snapshot{Base: base, Synced: true, Watching: true, Received: now, Answers: map[feed.Question]feed.Answer{HealthQuestion(): {At: now, Value: model.Health{}}},
			Nodes: []model.Node{{Name: "192.0.2.1", Address: "192.0.2.1:9999", Role: model.RoleLeader, Ready: true}}}
		if got := Check(s, now); got.Word != want {
			t.Errorf("%s: want %s, got %s: %s", base, want, got.Word, got.Why)
		}
	}
}

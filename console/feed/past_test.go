package feed

import (
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// What the history tells comes before what the stream has told, nothing twice.
func TestPast(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	s := newStore("", func() time.Time { return now })
	s.event(model.Event{Type: model.EventSync, Revision: 6})
	s.event(model.Event{Type: model.EventPut, Kind: "tenant", Key: "c", Object: []byte(`{"tenantName":"c"}`), Revision: 7})
	before := s.snapshot()
	s.past([]model.HistoryEntry{
		{Verb: "create", Kind: "tenant", Key: "a", Revision: 4, Time: now.Add(-2 * time.Hour)},
		{Verb: "delete", Kind: "tenant", Key: "a", Revision: 6, Time: now.Add(-time.Hour)},
		{Verb: "create", Kind: "tenant", Key: "c", Revision: 7, Time: now},
	})
	got := s.snapshot().Events
	want := []Event{
		{At: now.Add(-2 * time.Hour), Past: true, Type: model.EventPut, Kind: "tenant", Key: "a", Revision: 4},
		{At: now.Add(-time.Hour), Past: true, Type: model.EventDelete, Kind: "tenant", Key: "a", Revision: 6},
		{At: now, Type: model.EventPut, Kind: "tenant", Key: "c", Revision: 7},
	}
	if len(got) != len(want) {
		t.Fatalf("want %d events, got %+v", len(want), got)
	}
	for i := range want {
		if at := got[i].At; !at.Equal(want[i].At) {
			t.Errorf("event %d: want the time %s, got %s", i, want[i].At, at)
		}
		if got[i].At = want[i].At; got[i] != want[i] {
			t.Errorf("event %d: want %+v, got %+v", i, want[i], got[i])
		}
	}
	if len(before.Events) != 1 {
		t.Errorf("an older snapshot changed: %+v", before.Events)
	}
}

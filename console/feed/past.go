package feed

import (
	"context"
	"slices"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

// pastEvents is how many changes from before the feed began a Snapshot tells of.
const pastEvents = 200

// past asks the history what happened before the stream began. What cannot be had is not shown: the stream is what counts.
func (f *Feed) past(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, askLimit) // the stream waits
	defer cancel()
	entries, err := f.client.History(ctx, client.HistoryQuery{Limit: pastEvents})
	if err == nil && len(entries) > 0 {
		f.store.past(entries)
	}
}

// past puts changes from the history before those that the stream told.
func (s *store) past(entries []model.HistoryEntry) {
	s.change(func() {
		s.record(Input{Past: entries})
		var events []Event
		for _, e := range entries {
			if seen := slices.IndexFunc(s.last.Events, func(x Event) bool { return x.Kind != NodeKind }); seen >= 0 && e.Revision >= s.last.Events[seen].Revision {
				break
			}
			kind := model.EventPut
			if e.Verb == string(model.EventDelete) {
				kind = model.EventDelete
			}
			events = append(events, Event{At: e.Time.Local(), Past: true, Type: kind, Kind: e.Kind, Key: e.Key, Text: s.called(e.Kind, e.Key), Revision: e.Revision})
		}
		events = append(events, s.last.Events...)
		s.last.Events = events[max(0, len(events)-EventLimit):]
	})
}

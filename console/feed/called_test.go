// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// An event of an endpoint has its display name while the endpoint exists, and nothing if its id is its only name.
func TestEventsOfEndpoints(t *testing.T) {
	s := newStore("", time.Now)
	rows := []struct{ id, object, want string }{
		{"4f0c", `{"key":"t:n:4f0c","endpointID":"4f0c","containerName":"desk"}`, "desk"},
		{"9b1d", `{"key":"t:n:9b1d","endpointID":"9b1d","containerName":"k8s_web","pod":"shop/web"}`, "shop/web"},
		{"db", `{"key":"t:n:db","endpointID":"db","containerName":"db"}`, ""},
		{"mail", `{"key":"t:n:mail","endpointID":"mail"}`, ""},
	}
	for i, row := range rows {
		e := model.Event{Type: model.EventPut, Object: []byte(row.object), Kind: model.KindEndpoint().Name, Key: "t:n:" + row.id, Revision: uint64(i + 1)}
		s.event(e)
		s.applyHappened(HappenedInput{Changes: []model.HistoryEntry{{Sequence: uint64(i + 1), Verb: "create", Kind: e.Kind, Key: e.Key, Revision: e.Revision}}})
		all := s.snapshot().Events
		if got := all[len(all)-1]; got.Text != row.want || got.Type != "create" {
			t.Errorf("%s: want %q, got %+v", row.id, row.want, got)
		}
	}
	later := newStore("", time.Now)
	later.event(model.Event{Type: model.EventFull, Kind: model.KindEndpoint().Name, Items: []json.RawMessage{[]byte(rows[0].object)}, Revision: 20})
	later.event(model.Event{Type: model.EventSync, Revision: 20})
	later.applyHappened(HappenedInput{Changes: []model.HistoryEntry{{Sequence: 1, Verb: "create", Kind: model.KindEndpoint().Name, Key: "t:n:4f0c", Revision: 20},
		{Sequence: 2, Verb: "create", Kind: model.KindEndpoint().Name, Key: "t:n:gone", Revision: 19}}})
	if got := later.snapshot().Events; len(got) != 2 || got[0].Text != "desk" || got[1].Text != "" {
		t.Errorf("want the past named desk, and nothing of what is gone, got %+v", got)
	}
}

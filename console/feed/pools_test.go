// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Only networks with changes are requested, each once, and at most the permitted number at once.
func TestStaleNetworks(t *testing.T) {
	s := newStore("", time.Now)
	revision := uint64(0)
	tell := func(kind model.EventType, of, key, object string) {
		revision++
		s.event(model.Event{Type: kind, Kind: of, Key: key, Object: []byte(object), Revision: revision})
	}
	for i := range fewNetworks {
		tell(model.EventPut, "network", "", fmt.Sprintf(`{"tenantName":"t","networkName":"n%02d"}`, i))
	}
	want := func(what string, most int, want ...string) {
		t.Helper()
		if got := s.stale(most); !slices.Equal(got, want) {
			t.Errorf("%s: want %v, got %v", what, want, got)
		}
	}
	want("the first of all that are new", 2, "t:n00", "t:n01")
	if rest := s.stale(100); len(rest) != fewNetworks-2 {
		t.Errorf("want all others, got %v", rest)
	}
	want("nothing has happened", 100)
	tell(model.EventPut, "endpoint", "t:n03:e1", `{"key":"t:n03:e1","endpointID":"e1","network":"n03.t"}`)
	tell(model.EventPut, "endpoint", "t:n03:e2", `{"key":"t:n03:e2","endpointID":"e2","network":"n03.t"}`)
	tell(model.EventPut, "endpointGroup", "t:g", `{"tenantName":"t","groupName":"g","networkName":"n05"}`)
	tell(model.EventPut, "tenant", "t", `{"tenantName":"t"}`)
	want("endpoints and a group", 100, "t:n03", "t:n05")
	tell(model.EventDelete, "endpoint", "t:n03:e1", "")
	tell(model.EventDelete, "endpointGroup", "t:g", "")
	want("they go", 100, "t:n03", "t:n05")
	s.requeue("t:n07", "t:n08")
	tell(model.EventDelete, "network", "t:n07", "")
	want("a network that is gone", 100, "t:n08")
	s.event(model.Event{Type: model.EventSync, Revision: revision})
	want("a sign of life", 100)
	s.event(model.Event{Type: model.EventSync, Revision: revision + 1})
	if all := s.stale(100); len(all) != fewNetworks-1 {
		t.Errorf("a change of an unknown network: want all, got %v", all)
	}
	tell(model.EventPut, "network", "", `{"tenantName":"t","networkName":"x1"}`)
	tell(model.EventPut, "network", "", `{"tenantName":"t","networkName":"x2"}`)
	s.stale(100)
	s.event(model.Event{Type: model.EventSync, Revision: revision + 1})
	want("the same, of many networks", 100)
}

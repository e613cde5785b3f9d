// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// The list during a full transfer in portions, the first one and a later one: it grows once, and later stays until the transfer is
// complete. Unchanged rows keep their address.
func TestToldAgain(t *testing.T) {
	s := newStore("", time.Now)
	tell := func(kind model.EventType, of string, objects ...string) {
		e := model.Event{Type: kind, Kind: of}
		for _, o := range objects {
			e.Items = append(e.Items, json.RawMessage(o))
		}
		s.event(e)
	}
	endpoint := func(name, host string) string {
		return fmt.Sprintf(`{"key":"t:n:%s","endpointID":%q,"network":"n.t","homingHost":%q}`, name, name, host)
	}
	shown := func() string {
		out := ""
		x := s.snapshot()
		for _, o := range x.Objects["tenant"] {
			out += o.ObjectKey() + " "
		}
		for _, e := range x.Endpoints {
			out += e.EndpointID + "@" + e.HomingHost + " "
		}
		return out
	}
	for _, row := range []struct {
		name string
		does func()
		want string
	}{
		{"the first time, a part", func() { tell(model.EventFull, "endpoint", endpoint("a", "h1")) }, "a@h1 "},
		{"and more", func() { tell(model.EventMore, "endpoint", endpoint("b", "h1"), endpoint("c", "h1")) }, "a@h1 b@h1 c@h1 "},
		{"another kind", func() { tell(model.EventFull, "tenant", `{"tenantName":"t"}`) }, "t a@h1 b@h1 c@h1 "},
		{"all has come", func() { tell(model.EventSync, "") }, "t a@h1 b@h1 c@h1 "},
		{"again, a part", func() { tell(model.EventFull, "endpoint", endpoint("a", "h1")) }, "t a@h1 b@h1 c@h1 "},
		{"it breaks, and begins again", func() { tell(model.EventFull, "endpoint", endpoint("a", "h1"), endpoint("b", "h2")) }, "t a@h1 b@h1 c@h1 "},
		{"more, with a new one", func() { tell(model.EventMore, "endpoint", endpoint("d", "h2")) }, "t a@h1 b@h1 c@h1 "},
		{"all has come again", func() { tell(model.EventSync, "") }, "t a@h1 b@h2 d@h2 "},
		{"a change", func() { s.event(model.Event{Type: model.EventDelete, Kind: "endpoint", Key: "t:n:d"}) }, "t a@h1 b@h2 "},
	} {
		before := s.snapshot().Endpoints
		row.does()
		if got := shown(); got != row.want {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
		if after := s.snapshot().Endpoints; len(before) > 0 && before[0] != after[0] {
			t.Errorf("%s: the first endpoint is as it was, and was recreated", row.name)
		}
	}
}

// A copy, to which recordings are wound back, is of the same moment, also in the middle of another full transfer.
func TestCloneAmidToldAgain(t *testing.T) {
	s := newStore("", time.Now)
	event := func(s *store, kind model.EventType, names ...string) {
		e := model.Event{Type: kind}
		for _, name := range names {
			e.Kind, e.Items = "tenant", append(e.Items, json.RawMessage(fmt.Sprintf(`{"tenantName":%q}`, name)))
		}
		s.event(e)
	}
	event(s, model.EventFull, "a", "b")
	event(s, model.EventSync)
	event(s, model.EventFull, "a")
	c := s.clone()
	event(s, model.EventMore, "x")
	event(s, model.EventSync)
	event(c, model.EventMore, "y")
	event(c, model.EventSync)
	for name, of := range map[string]*store{"x": s, "y": c} {
		if list := of.snapshot().Objects["tenant"]; len(list) != 2 || list[1].ObjectKey() != name {
			t.Errorf("want a and %s, got %v", name, list)
		}
	}
}

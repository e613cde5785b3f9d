// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// The output of a watch, of everything in portions and after a broken connection.
func TestFollower(t *testing.T) {
	var shown []string
	columns := term.Columns(model.KindTenant(), true)
	f := &follower{kind: model.KindTenant(), shown: map[string][]string{}, selects: func(model.Object) bool { return true },
		cells: func(o model.Object) ([]string, error) { return term.Row(columns, o.Field), nil },
		emit: func(change string, cells []string) error {
			shown = append(shown, strings.TrimSpace(change+" "+strings.Join(cells, " ")))
			return nil
		}}
	event := func(kind model.EventType, names ...string) model.Event {
		e := model.Event{Type: kind}
		for _, name := range names {
			e.Key, e.Object = name, json.RawMessage(fmt.Sprintf(`{"tenantName":%q}`, name))
			e.Items = append(e.Items, e.Object)
		}
		return e
	}
	for _, row := range []struct {
		name  string
		event model.Event
		want  string
	}{
		{"everything", event(model.EventFull, "a", "b"), "added a, added b"},
		{"more of it", event(model.EventMore, "c"), "added c"},
		{"that was all", event(model.EventSync), ""},
		{"a change of a cell", model.Event{Type: model.EventPut, Key: "c", Object: json.RawMessage(`{"tenantName":"c","defaultNetwork":"n"}`)}, "changed c n"},
		{"a link that netmaster computes", model.Event{Type: model.EventPut, Key: "c",
			Object: json.RawMessage(`{"tenantName":"c","defaultNetwork":"n","link-sets":{"Networks":{"c:n":{"type":"network","key":"c:n"}}}}`)}, ""},
		{"something goes", event(model.EventDelete, "b"), "deleted b"},
		{"something goes that was not shown", event(model.EventDelete, "x"), ""},
		{"everything again", event(model.EventFull, "a"), ""},
		{"more of it, with what is new", event(model.EventMore, "d"), "added d"},
		{"what the stream did not send is gone", event(model.EventSync), "deleted c n"},
		{"and only once", event(model.EventSync), ""},
	} {
		shown = nil
		if err := f.print(row.event); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(shown, ", "); got != row.want {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}

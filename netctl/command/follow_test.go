package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// What a watch shows, of everything in portions and after a broken connection.
func TestFollower(t *testing.T) {
	var shown []string
	f := &follower{kind: model.KindTenant(), shown: map[string]model.Object{}, emit: func(change string, o model.Object) error {
		shown = append(shown, change+" "+o.ObjectKey())
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
		{"a change", event(model.EventPut, "c"), "changed c"},
		{"something goes", event(model.EventDelete, "b"), "deleted b"},
		{"something goes that was not shown", event(model.EventDelete, "x"), ""},
		{"everything again", event(model.EventFull, "a"), "changed a"},
		{"more of it, with what is new", event(model.EventMore, "d"), "added d"},
		{"what was not told is gone", event(model.EventSync), "deleted c"},
		{"and only once", event(model.EventSync), ""},
	} {
		shown = nil
		if err := f.take(row.event); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(shown, ", "); got != row.want {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}

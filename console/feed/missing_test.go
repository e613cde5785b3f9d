package feed

import (
	"maps"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Since when a host lacks interfaces is remembered for as long as it does, also while it does not answer.
func TestMissingSince(t *testing.T) {
	now := time.Unix(100, 0)
	s := newStore("", func() time.Time { return now })
	host := func(missing int, since string) []model.Node {
		return []model.Node{{Name: "h1", Role: model.RoleAgent, Missing: missing, Since: since}, {Name: "h2", Role: model.RoleAgent, Since: "x"}}
	}
	first := map[string]time.Time{"h1": now}
	for i, step := range []struct {
		nodes []model.Node
		want  map[string]time.Time
	}{
		{host(0, "x"), nil}, {host(3, "x"), nil}, {host(2, "x"), nil}, {host(0, ""), nil}, {host(0, "x"), map[string]time.Time{}},
	} {
		now = now.Add(time.Second)
		s.nodes(step.nodes)
		want := step.want
		switch {
		case i == 0:
			want = map[string]time.Time{}
		case i == 1:
			first["h1"] = now
			want = first
		case want == nil:
			want = first
		}
		if got := s.snapshot().Missing; !maps.Equal(got, want) {
			t.Errorf("step %d: want %v, got %v", i, want, got)
		}
	}
}

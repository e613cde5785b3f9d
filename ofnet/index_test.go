package ofnet

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// members lists a segment's endpoints by name.
func members(s *State, segment string) (out []string) {
	for e := range s.Members(segment) {
		out = append(out, e.ID)
	}
	slices.Sort(out)
	return out
}

func TestMembersFollowTouch(t *testing.T) {
	s := NewState("h1")
	put := func(id, segment string) { s.Endpoints[id] = &Endpoint{ID: id, Segment: segment} }
	touch := func(ids ...string) {
		for _, id := range ids {
			s.Touch(Key{KindEndpoint, id})
		}
	}
	put("a", "n1")
	put("b", "n1")
	for _, row := range []struct {
		name   string
		change func()
		n1, n2 []string
	}{
		{"before the index", func() {}, []string{"a", "b"}, nil},
		{"index", s.Reindex, []string{"a", "b"}, nil},
		{"comes", func() { put("c", "n2"); touch("c") }, []string{"a", "b"}, []string{"c"}},
		{"moves", func() { put("a", "n2"); touch("a") }, []string{"b"}, []string{"a", "c"}},
		{"goes", func() { delete(s.Endpoints, "b"); touch("b") }, nil, []string{"a", "c"}},
		{"nothing", func() { touch("a", "nobody") }, nil, []string{"a", "c"}},
	} {
		row.change()
		if n1, n2 := members(s, "n1"), members(s, "n2"); !slices.Equal(n1, row.n1) || !slices.Equal(n2, row.n2) {
			t.Errorf("%s: want %v and %v, got %v and %v", row.name, row.n1, row.n2, n1, n2)
		}
	}
	if was, ok := s.Listed("a"); !ok || was.Segment != "n2" {
		t.Errorf("segment of a: want n2, got %v, %v", was, ok)
	}
}

func TestReceiversAreThoseHereAndOneOfEachHost(t *testing.T) {
	s := NewState("h1")
	for id, host := range map[string]string{"a": "h1", "b": "h1", "c": "h2", "d": "h2", "e": "h3"} {
		s.Endpoints[id] = &Endpoint{ID: id, Segment: "n", Host: host, Group: id}
	}
	receivers := func() string {
		out := slices.Collect(s.Elsewhere("n"))
		for port, group := range s.Receivers("n") {
			if out = append(out, group); port != 0 {
				out[len(out)-1] += fmt.Sprint(":", port)
			}
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	for _, row := range []struct {
		name   string
		change func()
		want   string
	}{
		{"before the index", func() {}, "a b h2 h3"},
		{"index", s.Reindex, "a b h2 h3"},
		{"one of two goes", func() { delete(s.Endpoints, "c"); s.Touch(Key{KindEndpoint, "c"}) }, "a b h2 h3"},
		{"the other goes", func() { delete(s.Endpoints, "d"); s.Touch(Key{KindEndpoint, "d"}) }, "a b h3"},
		{"one moves here", func() {
			s.Endpoints["e"] = &Endpoint{ID: "e", Segment: "n", Host: "h1", Group: "e"}
			s.Touch(Key{KindEndpoint, "e"})
		}, "a b e"},
		{"not told yet", func() { delete(s.Endpoints, "a") }, "a b e"},
		{"told", func() { s.Touch(Key{KindEndpoint, "a"}) }, "b e"},
		{"another in its place", func() {
			s.Endpoints["e"] = &Endpoint{ID: "e", Segment: "n", Host: "h1", Port: 7, Group: "e"}
			s.Touch(Key{KindEndpoint, "e"})
		}, "b e:7"},
		{"it changes its group", func() {
			s.Endpoints["e"].Group = "f"
			s.Touch(Key{KindEndpoint, "e"})
		}, "b f:7"},
	} {
		row.change()
		if got := receivers(); got != row.want {
			t.Errorf("%s: want %s, got %s", row.name, row.want, got)
		}
	}
	for range s.Receivers("n") {
		break // an iteration may end early
	}
	s.Endpoints["z"] = &Endpoint{ID: "z", Segment: "n", Host: "h9"}
	s.Touch(Key{KindEndpoint, "z"})
	for range s.Elsewhere("n") {
		break
	}
}

package consul

import (
	"fmt"
	"testing"

	"github.com/contiv/contiv/daemon/store"
)

func TestPicture(t *testing.T) {
	at := func(key string, rev store.Revision) store.Item { return store.Item{Key: key, Revision: rev} }
	steps := []struct {
		name  string
		items []store.Item
		index uint64
		want  string // "" when nothing is new
	}{
		{"first", []store.Item{at("a", 5), at("b", 6)}, 6, "full [a b] [] @6"},
		{"nothing new", []store.Item{at("a", 5), at("b", 6)}, 6, ""},
		{"time out with a greater index", []store.Item{at("a", 5), at("b", 6)}, 9, ""},
		{"changed, created, deleted", []store.Item{at("b", 10), at("c", 11)}, 12, "[b c] [a] @12"},
		{"recreated", []store.Item{at("b", 13), at("c", 11)}, 13, "[b] [] @13"},
		{"index went back", []store.Item{at("b", 3)}, 3, "full [b] [] @3"},
		{"emptied", nil, 4, "[] [b] @4"},
		{"index 0", nil, 0, "full [] [] @1"},
	}
	var p picture
	for _, tt := range steps {
		u, ok := p.next(tt.items, tt.index)
		got := ""
		if ok {
			keys := []string{}
			for _, i := range u.Items {
				keys = append(keys, i.Key)
			}
			got = fmt.Sprintf("%v %v @%d", keys, u.Gone, u.Revision)
			if u.Full {
				got = "full " + got
			}
		}
		if got != tt.want {
			t.Errorf("%s: want %q, got %q", tt.name, tt.want, got)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, in := range [][]string{nil, {""}, {"127.0.0.1:8500"}, {"consul://127.0.0.1"}, {"http://"}} {
		if s, err := Open(Config{Endpoints: in}); err == nil {
			t.Errorf("%q: want an error, got %s", in, s)
			_ = s.Close()
		}
	}
}

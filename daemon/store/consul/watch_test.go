// SPDX-License-Identifier: Apache-2.0

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

// A lower index is a store recreated when keys say so; Consul's of a prefix goes back when it forgets deletions, too.
func TestStoreRecreated(t *testing.T) {
	at := func(key string, created, rev store.Revision) store.Item {
		return store.Item{Key: key, Created: created, Revision: rev}
	}
	for _, tt := range []struct {
		name  string
		items []store.Item
		index uint64
		want  store.Revision
	}{
		{"deletions are forgotten", []store.Item{at("a", 5, 5), at("b", 6, 8)}, 8, 20},
		{"and a key was deleted", []store.Item{at("a", 5, 5)}, 5, 20},
		{"it grew", []store.Item{at("a", 5, 5), at("c", 21, 21)}, 21, 21},
		{"a key is older", []store.Item{at("a", 5, 5), at("b", 6, 7)}, 7, 7},
		{"a key was created at another time", []store.Item{at("a", 4, 9)}, 9, 9},
		{"a key that was never seen", []store.Item{at("a", 5, 5), at("c", 7, 7)}, 7, 7},
		{"empty", nil, 3, 3},
	} {
		for _, away := range []bool{false, true} {
			var p picture
			if u, _ := p.next([]store.Item{at("a", 5, 5), at("b", 6, 8)}, 20); u.Revision != 20 {
				t.Fatalf("first: want 20, got %d", u.Revision)
			}
			if p.known = !away; away {
				p.index = 0
			}
			u, ok := p.next(tt.items, tt.index)
			if full := away || tt.index < 20; !ok || u.Full != full || u.Revision != tt.want {
				t.Errorf("%s, after an outage %t: want full %t at %d, got %+v", tt.name, away, full, tt.want, u)
			}
			later, _ := p.next([]store.Item{at("z", tt.want+1, tt.want+1)}, uint64(tt.want)+1)
			if later.Full || later.Revision != tt.want+1 {
				t.Errorf("%s: then want changes at %d, got %+v", tt.name, tt.want+1, later)
			}
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

// SPDX-License-Identifier: Apache-2.0

package consul

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/store"
)

// Directories are parts, and so are their subdirectories, unless a directory also has very many keys.
func TestDivide(t *testing.T) {
	var items []store.Item
	add := func(keys ...string) {
		for _, k := range keys {
			items = append(items, store.Item{Key: "/c/" + k, Revision: 1})
		}
	}
	add("tick", "state/global", "state/endpoint/t:n:1", "state/endpoint/t:n:2", "state/rule/a/b/c", "lock/netmaster/leader", "history/1", "history/2")
	for i := range flat + 1 {
		add(fmt.Sprint("claim/", i))
	}
	add("claim/odd/one")
	s := &Store{}
	p := s.divide("/c/", items, 7)
	want := []string{"c/claim/", "c/history/", "c/lock/netmaster/", "c/state/endpoint/", "c/state/global", "c/state/rule/", "c/tick"}
	want = slices.DeleteFunc(want, func(k string) bool { return k == "c/history/" }) // its few keys are parts each
	want = append(want, "c/history/1", "c/history/2")
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(p.keys)); !slices.Equal(got, want) {
		t.Errorf("want the parts %v, got %v", want, got)
	}
	if n := len(p.keys["c/claim/"]); n != flat+2 {
		t.Errorf("want all %d claims in their part, got %d", flat+2, n)
	}
}

// A change newer than its update is in the next update, even if the key changes all the time.
func TestHeldBack(t *testing.T) {
	at := func(rev store.Revision) *store.Item { return &store.Item{Key: "k", Revision: rev} }
	p := &parts{}
	for _, tt := range []struct {
		name        string
		fresh, held map[string]*store.Item
		want        string
	}{
		{"read too late", nil, map[string]*store.Item{"k": at(5)}, ""},
		{"and again", nil, map[string]*store.Item{"k": at(9)}, "k@5"},
		{"deleted too late", nil, map[string]*store.Item{"k": nil}, "k@9"},
		{"nothing new", nil, nil, "-k"},
		{"no longer sent", nil, nil, ""},
		{"held back once more", nil, map[string]*store.Item{"k": at(12)}, ""},
		{"and put since", map[string]*store.Item{"k": at(14)}, nil, "k@14"},
	} {
		if tt.fresh == nil {
			tt.fresh = map[string]*store.Item{}
		}
		var u store.Update
		p.send(&u, tt.fresh, tt.held)
		var got []string
		for _, it := range u.Items {
			got = append(got, fmt.Sprintf("%s@%d", it.Key, it.Revision))
		}
		for _, key := range u.Gone {
			got = append(got, "-"+key)
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s: want %q reported, got %q", tt.name, tt.want, text)
		}
	}
}

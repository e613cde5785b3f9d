// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"errors"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/member"
)

// grown returns a cluster of n members, of which all but the first have joined.
func grown(t *testing.T, n int) (all []*Server, urls map[string]string) {
	t.Helper()
	url := freeURL(t)
	all = []*Server{begin(t, Config{Dir: t.TempDir(), Name: "m0", PeerURL: url})}
	for i := 1; i < n; i++ {
		name, own := "m"+string(rune('0'+i)), freeURL(t)
		var err error
		if urls, _, err = all[0].AddMember(t.Context(), name, own); err != nil {
			t.Fatal(err)
		}
		all = append(all, begin(t, Config{Dir: t.TempDir(), Name: name, PeerURL: own, InitialCluster: urls, Existing: true}))
	}
	return all, urls
}

// putSoon puts a key, and retries while the members elect a leader.
func putSoon(t *testing.T, s store.Store, key, value string) {
	t.Helper()
	var tx store.Tx
	tx.Put(key, []byte(value))
	for {
		_, err := s.Commit(t.Context(), &tx)
		if err == nil {
			return
		}
		if !errors.Is(err, store.ErrUnavailable) {
			t.Fatal(err)
		}
	}
}

// A member is expected, joins, counts for the majority, and has the earlier data.
func TestGrowAndShrink(t *testing.T) {
	url := freeURL(t)
	first := begin(t, Config{Dir: t.TempDir(), Name: "m0", PeerURL: url})
	put(t, first, "a", "1")
	own := freeURL(t)
	peers, id, err := first.AddMember(t.Context(), "m1", own)
	if err != nil || len(peers) != 2 || peers["m0"] != url || peers["m1"] != own {
		t.Fatalf("want both members, got %v, %v", peers, err)
	}
	put(t, first, "b", "2") // an expected member blocks no writes
	if again, same, err := first.AddMember(t.Context(), "m1", own); err != nil || len(again) != 2 || same != id || id == "" {
		t.Errorf("want the member expected once, got %v, %v", again, err)
	}
	if _, _, err := first.AddMember(t.Context(), "m2", own); err == nil || model.AsError(err).Code != model.CodeConflict {
		t.Errorf("want the URL refused as in use, got %v", err)
	}
	elsewhere := freeURL(t)
	if peers, id, err = first.AddMember(t.Context(), "m1", elsewhere); err != nil || len(peers) != 2 || peers["m1"] != elsewhere {
		t.Fatalf("want a member that has never started replaced, got %v, %v", peers, err)
	}
	dir := t.TempDir()
	second := begin(t, Config{Dir: dir, Name: "m1", PeerURL: elsewhere, InitialCluster: peers, Existing: true})
	if held, err := member.Held(dir); err != nil || held != id {
		t.Errorf("want the directory to be that of member %s, got %q, %v", id, held, err)
	}
	if i, err := second.Read(t.Context(), "b"); err != nil || string(i.Value) != "2" {
		t.Errorf("want the earlier data, got %q, %v", i.Value, err)
	}
	put(t, second, "c", "3")
	if _, _, err := first.AddMember(t.Context(), "m1", freeURL(t)); err == nil || !strings.Contains(err.Error(), "--label") {
		t.Errorf("want the name of a voting member refused, got %v", err)
	}
	if was, err := first.RemoveMember(t.Context(), "m9"); was || err != nil {
		t.Errorf("want no such member, got %t, %v", was, err)
	}
	if was, err := second.RemoveMember(t.Context(), "m0"); !was || err != nil {
		t.Fatalf("want the first member gone, got %t, %v", was, err)
	}
	putSoon(t, second, "d", "4") // the leader was removed
	if _, err := second.RemoveMember(t.Context(), "m1"); err == nil || !strings.Contains(err.Error(), "contiv token create --master") {
		t.Errorf("want the last member to stay, got %v", err)
	}
}

// If one of three members is down, no other can be removed, because the rest would have no majority. The one that is down can.
func TestMajorityIsKept(t *testing.T) {
	all, _ := grown(t, 3)
	for _, s := range all {
		put(t, s, "a", "1")
	}
	if err := all[2].Close(); err != nil {
		t.Fatal(err)
	}
	_, err := all[0].RemoveMember(t.Context(), "m1")
	if err == nil || model.AsError(err).Code != model.CodeNotReady || !strings.Contains(err.Error(), "netctl leader") {
		t.Errorf("want to keep the majority, got %v", err)
	}
	put(t, all[0], "b", "2")
	if was, err := all[0].RemoveMember(t.Context(), "m2"); !was || err != nil {
		t.Errorf("want the one that is down removed, got %t, %v", was, err)
	}
	put(t, all[1], "c", "3")
}

// The machine of a member reports whether the member runs, and a store counts the members that it has.
func TestPresence(t *testing.T) {
	all, _ := grown(t, 3)
	if n := all[0].Count(); n != 3 {
		t.Errorf("got %d members, want 3", n)
	}
	if err := all[2].Close(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]member.State{"m1": member.Runs, "m2": member.Stopped, "m9": member.Absent} {
		if got := all[0].Presence(t.Context(), name); got.State != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// A member with a new peer URL serves there after a restart, and has the changes of the meantime.
func TestMoveMember(t *testing.T) {
	all, urls := grown(t, 3)
	put(t, all[0], "a", "1")
	for name, row := range map[string]struct{ member, url, want string }{
		"no such member":      {"m9", freeURL(t), "no member m9"},
		"another's":           {"m2", urls["m1"], "member m1 of the store serves others at"},
		"no URL":              {"m2", "192.0.2.1", "give a URL like"},
		"where it is already": {"m2", urls["m2"], ""},
	} {
		err := all[0].MoveMember(t.Context(), row.member, row.url)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v", name, row.want, err)
		}
	}
	to := freeURL(t)
	for range 2 {
		if err := all[0].MoveMember(t.Context(), "m2", to); err != nil {
			t.Fatal(err)
		}
	}
	dir := all[2].etcd.Config().Dir
	if err := all[2].Close(); err != nil {
		t.Fatal(err)
	}
	put(t, all[1], "b", "2")
	again := begin(t, Config{Dir: dir, Name: "m2", PeerURL: to, InitialCluster: urls, Existing: true})
	if i, err := again.Read(t.Context(), "b"); err != nil || string(i.Value) != "2" || again.Peers()["m2"] != to {
		t.Errorf("want the changes of the meantime, and the new URL, got %q, %v, %v", i.Value, again.Peers(), err)
	}
	put(t, again, "c", "3")
}

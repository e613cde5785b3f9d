// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/store/member"
)

// permitted returns the decision of Permit: how the member starts, or the error.
func permitted(t *testing.T, c Config, began bool) string {
	t.Helper()
	out, err := c.Permit(t.Context(), began)
	switch {
	case errors.Is(err, ErrLost):
		return err.Error()
	case err != nil:
		t.Fatal(err)
	case out.Existing:
		return "joins"
	case out.InitialCluster != nil:
		return "begins one of several"
	}
	return "starts"
}

// Permit decides before a member could vote: by its directory, by the marker beside it, and by the answers of the others.
func TestPermit(t *testing.T) {
	all, urls := grown(t, 2)
	putSoon(t, all[0], "a", "1")
	third := freeURL(t)
	expected, _, err := all[0].AddMember(t.Context(), "m2", third)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); permitted(t, Config{Dir: t.TempDir(), Name: "m1", PeerURL: urls["m1"], InitialCluster: urls, Existing: true}, false) == "joins"; {
		if time.Now().After(end) {
			t.Fatal("want the member known as one that has served")
		}
	}
	nobody := map[string]string{"m0": freeURL(t), "m1": urls["m1"]}
	for _, row := range []struct {
		name   string
		config Config
		began  bool
		want   string
	}{
		{"the first start", Config{}, false, "starts"},
		{"an empty directory of the only member", Config{}, true, "mount the file system of"},
		{"a new store is permitted", Config{NewStore: true}, true, "starts"},
		{"an empty directory with --embedded-alone", Config{Alone: true}, true, "--embedded-alone continues with the data of the directory"},
		{"a new store of several, at first", Config{Name: "m1", PeerURL: urls["m1"], InitialCluster: nobody}, false, "begins one of several"},
		{"one that is expected", Config{Name: "m2", PeerURL: third, InitialCluster: expected, Existing: true}, true, "joins"},
		{"one that is expected, started as if the store were new", Config{Name: "m2", PeerURL: third, InitialCluster: expected}, true, "joins"},
		{"one that has served", Config{Name: "m1", PeerURL: urls["m1"], InitialCluster: urls, Existing: true}, false, "run contiv replace m1 on another host, and on this one the command"},
		{"one that has served, started as if the store were new", Config{Name: "m1", PeerURL: urls["m1"], InitialCluster: urls}, true, "contiv replace m1"},
		{"a new store is permitted, but the others know the member", Config{Name: "m1", PeerURL: urls["m1"], InitialCluster: urls, NewStore: true}, true, "contiv replace m1"},
		{"an unknown member", Config{Name: "m9", PeerURL: freeURL(t), InitialCluster: urls, Existing: true}, true, "m9 is not a member of the store"},
		{"no other answers", Config{Name: "m1", PeerURL: urls["m1"], InitialCluster: nobody, Existing: true}, false, "it is unknown whether this one has served before"},
		{"no other answers, and a new store is permitted", Config{Name: "m1", PeerURL: urls["m1"], InitialCluster: nobody, Existing: true, NewStore: true}, true, "starts"},
	} {
		row.config.Dir = t.TempDir()
		if got := permitted(t, row.config, row.began); got != row.want && !strings.Contains(got, row.want) || len(row.want) > 25 && !strings.Contains(got, row.config.Dir) {
			t.Errorf("%s: want %s, got %s", row.name, row.want, got)
		}
	}
}

// The member in a directory is compared with the recorded one, and an empty directory with a record is refused.
func TestPermitDirectory(t *testing.T) {
	start := func() (Config, string) {
		c := Config{Dir: t.TempDir() + "/store", Name: "m0", PeerURL: freeURL(t)}
		if err := begin(t, c).Close(); err != nil {
			t.Fatal(err)
		}
		id, err := member.Held(c.Dir)
		if err != nil || id == "" {
			t.Fatalf("want the member of the directory, got %q, %v", id, err)
		}
		return c, id
	}
	one, id := start()
	if got := permitted(t, one, true); got != "starts" {
		t.Errorf("its own directory: want it started, got %s", got)
	}
	other, _ := start()
	if err := errors.Join(os.RemoveAll(one.Dir), os.Rename(other.Dir, one.Dir)); err != nil {
		t.Fatal(err)
	}
	if got := permitted(t, one, true); !strings.Contains(got, "this host's member is "+id) || !strings.Contains(got, "start netmaster once with --new-store") {
		t.Errorf("another member's directory: want a refusal with the remedy, got %s", got)
	}
	one.NewStore = true
	if got, err := one.Permit(t.Context(), true); err != nil || !got.Restored {
		t.Errorf("a permitted one: want it started as a restored one, got %t, %v", got.Restored, err)
	}
	one.NewStore = false
	if err := os.RemoveAll(one.Dir); err != nil {
		t.Fatal(err)
	}
	if got := permitted(t, one, false); !strings.Contains(got, "mount the file system") {
		t.Errorf("an empty directory beside its marker: want a refusal, got %s", got)
	}
	if err := os.WriteFile(member.MarkerFile(one.Dir), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := permitted(t, one, false); !strings.Contains(got, member.MarkerFile(one.Dir)) {
		t.Errorf("a truncated record: want a refusal that names it, got %s", got)
	}
}

// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A member joins a running store by the URLs of its members, and is one of them afterwards; a name or a URL of another member is refused.
func TestJoin(t *testing.T) {
	first := begin(t, Config{Dir: t.TempDir(), Name: "m0", PeerURL: freeURL(t)})
	putSoon(t, first, "a", "1")
	clients := []string{freeURL(t), first.ClientURL()} // one of them does not answer
	c := Config{Dir: t.TempDir(), Name: "m1", PeerURL: freeURL(t), ClientURL: freeURL(t)}
	for range 2 { // a netmaster that ended before it started the member does so again
		joined, err := c.Join(t.Context(), clients)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"m0": first.Peers()["m0"], "m1": c.PeerURL}
		if !joined.Existing || !maps.Equal(joined.InitialCluster, want) {
			t.Fatalf("want it to join %v, got %v, %v", want, joined.Existing, joined.InitialCluster)
		}
	}
	joined, err := c.Join(t.Context(), clients)
	if err == nil {
		joined, err = joined.Permit(t.Context(), false)
	}
	if err != nil {
		t.Fatal(err)
	}
	second := begin(t, joined)
	if i, err := second.Read(t.Context(), "a"); err != nil || string(i.Value) != "1" {
		t.Errorf("the joined member: want 1, got %q, %v", i.Value, err)
	}
	if got := slices.Sorted(maps.Keys(second.ClientURLs())); !slices.Equal(got, []string{"m0", "m1"}) {
		t.Errorf("members that serve: want m0 and m1, got %v", got)
	}
	lost := c
	lost.Dir = t.TempDir()
	if lost, err = lost.Join(t.Context(), clients); err == nil {
		_, err = lost.Permit(t.Context(), false)
	}
	if !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "contiv replace m1") {
		t.Errorf("a member that has served, with an empty directory: want it refused with the remedy, got %v", err)
	}
	for _, row := range []struct{ name, label, url, want string }{
		{"a name that is taken", "m1", freeURL(t), "the store has a member m1"},
		{"a URL that is taken", "m2", c.PeerURL, "member m1 of the store serves others at"},
	} {
		other := Config{Dir: t.TempDir(), Name: row.label, PeerURL: row.url}
		if _, err := other.Join(t.Context(), clients); !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
	}
	if got := len(first.Peers()); got != 2 {
		t.Errorf("members: got %d, want 2", got)
	}
	if _, err := c.Join(t.Context(), []string{freeURL(t)}); err == nil || errors.Is(err, ErrLost) {
		t.Errorf("no member answers: want an error to retry, got %v", err)
	}
}

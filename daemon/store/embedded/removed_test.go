// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"errors"
	"strings"
	"testing"
)

// A member that the others remove ends with the reason and the remedy, and so do its later starts. It does not continue without them, as
// two stores would then continue from the same data.
func TestRemoved(t *testing.T) {
	all, urls := grown(t, 2)
	putSoon(t, all[0], "a", "1")
	dir := all[1].marker.own.Dir
	c := Config{Dir: dir, Name: "m1", PeerURL: urls["m1"], Existing: true}
	alone := c
	alone.Alone = true
	says := func(err error, want string) {
		t.Helper()
		if !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), want) {
			t.Fatalf("got %v, want ErrLost with %q", err, want)
		}
	}
	if err := all[1].Close(); err != nil {
		t.Fatal(err)
	}
	_, err := alone.Permit(t.Context(), true)
	says(err, "the member at "+urls["m0"]+" answers, and --embedded-alone is for a member whose others are lost")

	permit, err := c.Permit(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	back := begin(t, permit)
	if was, err := all[0].RemoveMember(t.Context(), "m1"); err != nil || !was {
		t.Fatalf("want the member removed, got %v, %v", was, err)
	}
	says(<-back.Failed(), "the member at "+urls["m0"]+" reports that m1 is not a member of the store any more")
	_ = back.Close()
	if permit, err = c.Permit(t.Context(), true); err == nil {
		_, err = Start(t.Context(), permit)
	}
	says(err, "run contiv replace m1 on a host of it")
	_, err = alone.Permit(t.Context(), true)
	says(err, "the others have removed m1, and "+dir+" records it")
}

// Of two members that are to continue without each other, the second one finds that the first one has dropped it.
func TestSecondAlone(t *testing.T) {
	all, urls := grown(t, 2)
	var alone []Config
	for i, s := range all {
		name := "m" + string(rune('0'+i))
		alone = append(alone, Config{Dir: s.marker.own.Dir, Name: name, PeerURL: urls[name], InitialCluster: urls, Alone: true})
		putSoon(t, s, name, "1")
	}
	for _, s := range all {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	permit, err := alone[0].Permit(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	first := begin(t, permit)
	if _, err = alone[1].Permit(t.Context(), true); !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "its store continues without m1") {
		t.Errorf("got %v, want the second store refused", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if permit, err = alone[1].Permit(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if got, _, err := begin(t, permit).List(t.Context(), "m"); err != nil || len(got) != 2 {
		t.Errorf("got %v, %v, want the data that the second member had", got, err)
	}
}

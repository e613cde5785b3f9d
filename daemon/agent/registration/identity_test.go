// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIdentity(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	id, uuid, empty := file("machine-id", "b08dfa6083e7567a1921a715000001fb\n"), file("uuid", "F00D\n"), file("empty", "uninitialized\n")
	both := identity("", "h1", id, uuid)
	if strings.Contains(both, "b08d") || len(both) != 16 {
		t.Errorf("identity: want a hash, got %q", both)
	}
	for name, other := range map[string]string{"another disk": identity("", "h1", uuid), "another board": identity("", "h1", id),
		"as it is called": identity("x", "h1", id, uuid), "nothing known": identity("", "h1", empty, "/nonesuch")} {
		if other == both {
			t.Errorf("%s: want another identity, got the same", name)
		}
	}
	if identity("", "h9", id, uuid) != both || identity("", "h1", empty) == identity("", "h2", empty) {
		t.Error("the label: want it to count for machines of which nothing else is known, and for no others")
	}
}

// A seat is one process's, and what is in the file after a crash or by others' hands does not keep the next one from it.
func TestSeat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "contiv0.agent")
	first, err := Acquire(path)
	if err != nil || len(first.Token) != 2*tokenBytes {
		t.Fatalf("first: want a seat, got %+v %v", first, err)
	}
	if _, err := Acquire(path); !errors.Is(err, ErrTaken) {
		t.Errorf("second: want ErrTaken, got %v", err)
	}
	first.Leave()
	again, err := Acquire(path)
	if err != nil || again.Token != first.Token {
		t.Errorf("again: want the same token, got %+v %v", again, err)
	}
	again.Leave()
	if _, err := Acquire("/nonesuch/x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: want it reported, got %v", err)
	}
}

func FuzzSeat(f *testing.F) {
	for _, s := range []string{"", "x", strings.Repeat("0", 2*tokenBytes), strings.Repeat("ab", 4*tokenBytes), "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		path := filepath.Join(t.TempDir(), "seat")
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			seat, err := Acquire(path)
			if err != nil || len(seat.Token) != 2*tokenBytes {
				t.Fatalf("%q: want a token, got %+v %v", s, seat, err)
			}
			seat.Leave()
		}
	})
}

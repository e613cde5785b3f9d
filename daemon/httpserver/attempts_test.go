// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"fmt"
	"testing"
	"time"
)

func TestAttempts(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	a := NewAttempts(2, 10*time.Second, func() time.Time { return now })
	for _, row := range []struct {
		name    string
		after   time.Duration
		timeout time.Duration
		wait    time.Duration
		ok      bool
	}{
		{"the first", 0, 0, 0, true},
		{"the second", 0, 0, 0, true},
		{"one too many", 0, 0, 10 * time.Second, false},
		{"it may wait", 0, 15 * time.Second, 10 * time.Second, true},
		{"the next must wait longer", 0, 15 * time.Second, 20 * time.Second, false},
		{"a pause later", 20 * time.Second, 0, 0, true},
		{"and no other", 0, 0, 10 * time.Second, false},
	} {
		now = now.Add(row.after)
		if wait, ok := a.Admit("x", row.timeout); wait != row.wait || ok != row.ok {
			t.Errorf("%s: want %v, %v, got %v, %v", row.name, row.wait, row.ok, wait, ok)
		}
	}
	a.Back("x")
	if _, ok := a.Admit("x", 0); !ok {
		t.Error("one that was given back is gone")
	}
	a.Forget("x")
	if _, ok := a.Admit("y", 0); !ok {
		t.Error("another key has to wait")
	}
}

// Attempts under many other keys do not reset the count of a key.
func TestAttempts_Flood(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	a := NewAttempts(3, time.Second, func() time.Time { return now })
	for range 3 {
		a.Admit("ann", 0)
	}
	for i := range 2 * maxCounted {
		a.Admit(fmt.Sprint("user", i), 0)
	}
	if a.Counted() > maxCounted {
		t.Errorf("%d are counted", a.Counted())
	}
	if _, ok := a.Admit("ann", 0); ok {
		t.Error("the attempts of ann are forgotten")
	}
}

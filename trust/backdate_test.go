// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"testing"
	"time"
)

// A new certificate is valid on a host whose clock is behind, and its renewal is due after its issue.
func TestBackdate(t *testing.T) {
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	a, err := NewAuthority(now)
	if err != nil {
		t.Fatal(err)
	}
	for lifetime, behind := range map[time.Duration]time.Duration{Lifetime: 23 * time.Hour, 24 * time.Hour: time.Hour, time.Hour: 4 * time.Minute, 11 * time.Minute: 4 * time.Minute} {
		r, err := NewRequest()
		if err != nil {
			t.Fatal(err)
		}
		c, err := a.Issue(r, Identity{Role: Agent, Name: "h1"}, now, lifetime)
		if err != nil {
			t.Fatal(err)
		}
		if at := now.Add(-behind); at.Before(c.NotBefore) || at.Before(a.certificate.NotBefore) {
			t.Errorf("lifetime %v: a host whose clock is at %v refuses it: it begins at %v", lifetime, at, c.NotBefore)
		}
		if due := Due(c); !due.After(now) || !due.Before(now.Add(lifetime)) {
			t.Errorf("lifetime %v: want the renewal between issue and end, got %v", lifetime, due)
		}
	}
}

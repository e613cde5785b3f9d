// SPDX-License-Identifier: Apache-2.0

package member_test

import (
	"context"
	"net"
	"testing"

	"github.com/contiv/contiv/daemon/store/member"
)

// Only a refused connection proves that a member does not run.
func TestLook(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "https://" + l.Addr().String()
	if got := member.Look(t.Context(), url); got.State != member.Runs {
		t.Errorf("something listens: got %v, want Runs", got)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := member.Look(t.Context(), url); got.State != member.Stopped || got.Evidence != url+" refuses connections" {
		t.Errorf("nothing listens: got %v, want Stopped", got)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for what, got := range map[string]member.Presence{"no answer in time": member.Look(over, url), "no URL": member.Look(t.Context(), "https://%")} {
		if got.State != member.Unknown || got.Evidence == "" {
			t.Errorf("%s: got %v, want Unknown and why", what, got)
		}
	}
}

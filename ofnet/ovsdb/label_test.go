// SPDX-License-Identifier: Apache-2.0

package ovsdb_test

import (
	"testing"

	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/ovstest"
)

// One external id is set, changed and removed; the others stay.
func TestLabel(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	veth(o, "v1")
	if _, err := s.EnsurePort(ctx, endpoint("v1", 1)); err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"tcp/0.0.0.0:8080=80", "tcp/0.0.0.0:8081=80", "tcp/0.0.0.0:8081=80", "", ""} {
		if err := s.Label(ctx, "v1", ovsdb.IDPublished, value); err != nil {
			t.Fatal(err)
		}
		p, _ := s.Port("v1")
		if got, there := p.ExternalIDs[ovsdb.IDPublished]; got != value || there != (value != "") {
			t.Errorf("label is %q, %v, want %q", got, there, value)
		}
		if want := endpoint("v1", 1).ExternalIDs[ovsdb.IDEndpoint]; p.ExternalIDs[ovsdb.IDEndpoint] != want {
			t.Errorf("the endpoint is %q, want %q", p.ExternalIDs[ovsdb.IDEndpoint], want)
		}
	}
	if err := s.Label(ctx, "gone", ovsdb.IDPublished, "x"); err == nil {
		t.Error("a port that is gone is labelled")
	}
	if err := s.Label(ctx, "gone", ovsdb.IDPublished, ""); err != nil {
		t.Errorf("removing the label of a port that is gone: %v", err)
	}
}

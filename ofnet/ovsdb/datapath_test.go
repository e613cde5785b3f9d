// SPDX-License-Identifier: Apache-2.0

package ovsdb_test

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/ovstest"
)

func TestCapabilities(t *testing.T) {
	ctx, c := live(t, ovstest.Start(t))
	s := ensured(t, ctx, c)
	for range 2 { // the second time the row is there
		got, err := s.Capabilities(ctx)
		if err != nil || got["nd_ext"] != "true" || got["ct_mark"] != "true" {
			t.Errorf("capabilities of the userspace datapath: want nd_ext and ct_mark, got %v, %v", got, err)
		}
	}
}

// The row that Capabilities created goes with the bridge, unless someone else needs it.
func TestRemoveDatapath(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	if _, err := s.Capabilities(ctx); err != nil {
		t.Fatal(err)
	}
	rows := func() string { return strings.TrimSpace(o.Vsctl("--columns=_uuid", "list", "Datapath")) }
	gone := func(want bool, because string) {
		t.Helper()
		stays, err := s.RemoveDatapath(ctx)
		if err != nil || !strings.Contains(stays, because) || (rows() == "") != want {
			t.Errorf("want it gone %t and %q, got %q, %v, rows %q", want, because, stays, err, rows())
		}
	}
	o.Vsctl("add-br", "other", "--", "set", "bridge", "other", "datapath_type=netdev")
	await := func(there bool) {
		t.Helper()
		if err := c.Await(ctx, func(t *ovsdb.Tables) (bool, error) { _, _, ok := t.Bridge("other"); return ok == there, nil }); err != nil {
			t.Fatal(err)
		}
	}
	await(true)
	gone(false, "bridge other has datapath type netdev too")
	o.Vsctl("del-br", "other")
	await(false)
	gone(true, "")
	gone(true, "")
	o.Vsctl("--id=@d", "create", "Datapath", "datapath_version=x", "--", "set", "Open_vSwitch", ".", "datapaths:netdev=@d")
	gone(false, "") // another's
}

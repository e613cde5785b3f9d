// SPDX-License-Identifier: Apache-2.0

package ovsdb_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/ovstest"
)

// Changes of others to the bridge are reported and repaired; their own settings stay.
func TestDriftOfTheBridge(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	if d, differs := ovsdb.NewSwitch(c, bridge).BridgeDrift(); differs {
		t.Errorf("before it was asked for: want no difference, got %+v", d)
	}
	s := ensured(t, ctx, c)
	for _, row := range []struct {
		name, command string
		gone, open    bool
		was           string
	}{
		{"an emergency reset", "emer-reset", false, true, "[fail_mode= other_config:datapath-id=]"},
		{"another fail mode", "set-fail-mode contiv0 standalone", false, true, "[fail_mode=standalone]"},
		{"a controller", "set-controller contiv0 tcp:127.0.0.1:6633", false, false, "[controllers=1]"},
		{"other protocols", "set Bridge contiv0 protocols=OpenFlow10,OpenFlow13", false, false, "[protocols=OpenFlow10,OpenFlow13]"},
		{"another host's", "set Bridge contiv0 external_ids:contiv-host=h2", false, false, "[external_ids:contiv-host=h2]"},
		{"no bridge", "del-br contiv0", true, false, "[]"},
	} {
		o.Vsctl(strings.Fields(row.command)...)
		var got ovsdb.BridgeDrift
		for fmt.Sprint(got.Was) != row.was || got.Gone != row.gone {
			changed := c.Changed()
			if got, _ = s.BridgeDrift(); fmt.Sprint(got.Was) == row.was && got.Gone == row.gone {
				break
			}
			select {
			case <-changed:
			case <-ctx.Done():
				t.Fatalf("%s: want it reported as was %s, gone %v, got %+v", row.name, row.was, row.gone, got)
			}
		}
		if got.Open != row.open {
			t.Errorf("%s: want open %v, got %+v", row.name, row.open, got)
		}
		if err := s.Ensure(ctx, spec()); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		if d, differs := s.BridgeDrift(); differs {
			t.Errorf("%s: after the repair: want no difference, got %+v", row.name, d)
		}
	}
}

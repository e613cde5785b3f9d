// SPDX-License-Identifier: Apache-2.0

package ovsdb_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/ovstest"
)

// Ports get another endpoint, at once, and keep what else their external ids say; other ports stay as they are, and those that are gone are
// passed over.
func TestRelabel(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	had := map[string]map[string]string{}
	for i, name := range []string{"v1", "v2", "v3"} {
		veth(o, name)
		spec := endpoint(name, uint32(1+i))
		spec.ExternalIDs[ovsdb.IDEndpoint] = "net.default-" + name
		spec.ExternalIDs["mine"] = "yes"
		if _, err := s.EnsurePort(ctx, spec); err != nil {
			t.Fatal(err)
		}
		had[name] = spec.ExternalIDs
	}
	had["v1"][ovsdb.IDEndpoint], had["v3"][ovsdb.IDEndpoint] = "default:net:v1", "default:net:v3"
	for range 2 { // again changes nothing
		if err := s.Relabel(ctx, map[string]string{"v1": "default:net:v1", "v3": "default:net:v3", "gone": "default:net:gone"}); err != nil {
			t.Fatal(err)
		}
		for name, want := range had {
			if p, ok := s.Port(name); !ok || !maps.Equal(p.ExternalIDs, want) {
				t.Errorf("%s: want %v, got %v", name, want, p.ExternalIDs)
			}
			if got := strings.Trim(strings.TrimSpace(o.Vsctl("get", "interface", name, "external_ids:"+ovsdb.IDEndpoint)), `"`); got != want[ovsdb.IDEndpoint] {
				t.Errorf("%s in the database: want %s, got %s", name, want[ovsdb.IDEndpoint], got)
			}
		}
	}
	if s.Adopt(ovsdb.IDContainer); len(s.Ports(ovsdb.IDEndpoint, "default:net:v1")) != 1 || len(s.Ports(ovsdb.IDEndpoint, "net.default-v1")) != 0 {
		t.Error("want the port found only by its new endpoint")
	}
	if got := s.Drift(); len(got) != 0 {
		t.Errorf("what was relabelled and adopted: want no drift, got %+v", got)
	}
}

// SPDX-License-Identifier: Apache-2.0

package record

import (
	"errors"
	"strings"
	"testing"
)

func TestRouting(t *testing.T) {
	good := BGP{Hostname: "h1", RouterIP: "50.1.1.2/24", RouterIP6: "fd50::2/64", AS: "65002", Neighbor: "50.1.1.200, 50.1.1.201,fd50::c8", NeighborAS: "500,501,502"}
	r, err := good.Routing()
	if err != nil || len(r.Neighbours) != 3 || r.Neighbours[1].AS != 501 || r.Neighbours[2].Address.String() != "fd50::c8" || r.Address6.String() != "fd50::2/64" {
		t.Errorf("got %+v, %v", r, err)
	}
	for name, row := range map[string]struct {
		field  string // "": it is right
		change func(b *BGP)
	}{
		"one AS for all":          {"", func(b *BGP) { b.NeighborAS = "500" }},
		"no neighbour":            {"", func(b *BGP) { b.Neighbor, b.NeighborAS = "", "" }},
		"as the original":         {"", func(b *BGP) { b.Neighbor, b.NeighborAS, b.RouterIP6 = "50.1.1.200", "500", "" }},
		"too few numbers":         {"neighbor-as", func(b *BGP) { b.NeighborAS = "500,501" }},
		"no number":               {"neighbor-as", func(b *BGP) { b.NeighborAS = "" }},
		"a word for a number":     {"neighbor-as", func(b *BGP) { b.NeighborAS = "500,x,502" }},
		"a reserved number":       {"as", func(b *BGP) { b.AS = "4294967295" }},
		"no own number":           {"as", func(b *BGP) { b.AS = "" }},
		"twice":                   {"neighbor", func(b *BGP) { b.Neighbor = "50.1.1.200,50.1.1.200"; b.NeighborAS = "500" }},
		"a name":                  {"neighbor", func(b *BGP) { b.Neighbor = "router"; b.NeighborAS = "500" }},
		"a gap":                   {"neighbor", func(b *BGP) { b.Neighbor = "50.1.1.200,,50.1.1.201"; b.NeighborAS = "500" }},
		"of the link":             {"neighbor", func(b *BGP) { b.Neighbor = "fe80::1"; b.NeighborAS = "500" }},
		"IPv6 without an address": {"neighbor", func(b *BGP) { b.RouterIP6 = "" }},
		"too many":                {"neighbor", func(b *BGP) { b.Neighbor = strings.Repeat("50.1.1.1,", 17); b.NeighborAS = "500" }},
		"own without a length":    {"routerip", func(b *BGP) { b.RouterIP = "50.1.1.2" }},
		"own of the link":         {"routerip6", func(b *BGP) { b.RouterIP6 = "fe80::2/64" }},
	} {
		b := good
		row.change(&b)
		_, err := b.Routing()
		var wrong *BGPError
		switch {
		case row.field == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case row.field != "" && (!errors.As(err, &wrong) || wrong.Field != row.field || wrong.Want == ""):
			t.Errorf("%s: want an error about %s, got %v", name, row.field, err)
		}
	}
}

func FuzzRouting(f *testing.F) {
	f.Add("50.1.1.2/24", "fd50::2/64", "65002", "50.1.1.200,fd50::c8", "500,501")
	f.Add("", "", "", ",", ",")
	f.Fuzz(func(t *testing.T, own, own6, as, neighbor, neighborAS string) {
		b := BGP{RouterIP: own, RouterIP6: own6, AS: as, Neighbor: neighbor, NeighborAS: neighborAS}
		r, err := b.Routing()
		if err != nil {
			return
		}
		if len(r.Neighbours) > MaxNeighbours {
			t.Errorf("%d neighbours", len(r.Neighbours))
		}
		for _, n := range r.Neighbours {
			if n.AS == 0 || n.Address.Is6() && !r.Address6.IsValid() {
				t.Errorf("neighbour %+v of %+v", n, r)
			}
		}
	})
}

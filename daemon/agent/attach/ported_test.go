// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"net/netip"
	"os"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// A port says all that a store needs to know its endpoint again: id, addresses, MAC, group, host and machine. One of an earlier build does
// not, and is left out.
func TestPorted(t *testing.T) {
	w := newWorld()
	e := w.engine()
	e.Machine = "m1"
	r := request(t)
	r.Group = "web"
	if err := os.WriteFile(r.Netns, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Attach(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	var want record.Endpoint
	for _, ep := range w.endpoints {
		want = ep
	}
	got := e.Ported()
	if len(got) != 1 || got[0].ID != want.ID || got[0].IP != want.IP || got[0].MAC != want.MAC || got[0].Group.String() != "default:web" || got[0].Machine != "m1" || got[0].ContainerID != r.ContainerID {
		t.Fatalf("want %+v in group default:web, got %+v", want, got)
	}
	for name, p := range w.ports {
		delete(p.ExternalIDs, ovsdb.IDAddresses)
		w.ports[name] = p
	}
	if got := e.Ported(); len(got) != 0 {
		t.Errorf("a port of an earlier build: want none, got %+v", got)
	}
}

// External ids are parsed as they were written, and malformed ones are ignored.
func TestAddressesOf(t *testing.T) {
	ep := record.Endpoint{IP: netip.MustParseAddr("10.1.1.2"), IP6: netip.MustParseAddr("fd00::2"), MAC: record.MAC{2, 2, 10, 1, 1, 2}}
	ids := externalIDs(Request{Netns: "/n"}, &ep)
	if addresses, mac := addressesOf(ids); len(addresses) != 2 || addresses[0] != ep.IP || addresses[1] != ep.IP6 || mac != ep.MAC {
		t.Errorf("want %v, %v and %v, got %v, %v of %v", ep.IP, ep.IP6, ep.MAC, addresses, mac, ids)
	}
	for _, text := range []string{"", ",", "10.1.1", "fe80::1%eth0", "10.1.1.1/24"} {
		if addresses, mac := addressesOf(map[string]string{ovsdb.IDAddresses: text, ovsdb.IDMAC: text}); len(addresses) != 0 || mac != (record.MAC{}) {
			t.Errorf("%q: want nothing, got %v, %v", text, addresses, mac)
		}
	}
}

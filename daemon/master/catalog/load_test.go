// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
)

// benchItems returns the records of endpoints of 100 tenants on 1,000 hosts, as a list of the store has them.
func benchItems(endpoints int) []store.Item {
	items := make([]store.Item, 0, endpoints)
	for i := range endpoints {
		at := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		four := at.As4()
		name := fmt.Sprintf("%064d", i)
		e := record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: fmt.Sprint("t", i%100), Name: "net"}, Endpoint: name}, ContainerID: name,
			CommonName: fmt.Sprint("app-", i), Host: fmt.Sprint("h", i%1000), VTEP: netip.AddrFrom4([4]byte{192, 168, byte(i % 1000 / 250), byte(i % 250)}), IP: at, MAC: record.MAC(append([]byte{2, 2}, four[:]...))}
		value, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		items = append(items, store.Item{Key: record.Endpoints + e.ID.String(), Value: value, Revision: store.Revision(i + 1), Created: store.Revision(i + 1)})
	}
	return items
}

// BenchmarkLoad loads the first list of a netmaster that starts.
func BenchmarkLoad(b *testing.B) {
	const endpoints = 100_000
	items := benchItems(endpoints)
	b.ReportAllocs()
	for b.Loop() {
		c := catalog.New()
		if err := c.Apply(store.Update{Full: true, Items: items, Revision: endpoints}, quiet); err != nil {
			b.Fatal(err)
		}
	}
}

// A complete list, which is decoded in advance, and the same in small parts make the same catalog, and log the same malformed records.
func TestLoad(t *testing.T) {
	items := benchItems(5000)
	for tenant := range 100 {
		id := identity.Network{Tenant: fmt.Sprint("t", tenant), Name: "net"}
		at := netip.MustParsePrefix("10.0.0.0/16")
		value, err := json.Marshal(record.Network{ID: id, Kind: record.DataNetwork, Encap: record.VXLAN, PktTag: 1 + tenant, ExtPktTag: 10_000 + tenant, Subnet: at, Addresses: ipam.RangeOf(at)})
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, store.Item{Key: record.Networks + id.String(), Value: value, Revision: 1})
	}
	items[17].Value = []byte(`{`)
	// the value names another object than its key
	items[18].Value = items[19].Value
	slices.SortFunc(items, func(a, b store.Item) int { return strings.Compare(b.Key, a.Key) }) // networks first
	load := func(parts int) (*catalog.Catalog, string) {
		c, told := catalog.New(), &strings.Builder{}
		log := slog.New(slog.NewTextHandler(told, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		rev := store.Revision(0)
		for part := range slices.Chunk(items, len(items)/parts) {
			for _, it := range part {
				rev = max(rev, it.Revision)
			}
			if err := c.Apply(store.Update{Full: parts == 1, Items: part, Revision: rev}, log); err != nil {
				t.Fatal(err)
			}
		}
		lines := strings.Split(told.String(), "\n")
		slices.Sort(lines)
		return c, strings.Join(lines, "\n")
	}
	for i := range items {
		items[i].Revision = store.Revision(i + 1) // so that parts are in order
	}
	whole, toldWhole := load(1)
	parts, toldParts := load(51)
	if toldWhole != toldParts || strings.Count(toldWhole, "skipped malformed record") != 2 {
		t.Errorf("want the same log of two records, got\n%s\nand\n%s", toldWhole, toldParts)
	}
	if a, b := describe(whole), describe(parts); a != b {
		t.Errorf("want the same, got\n%s\nand\n%s", a, b)
	}
	whole.View(func(v *catalog.View) {
		if v.CountEndpoints() != 4998 {
			t.Errorf("want 4998 endpoints, got %d", v.CountEndpoints())
		}
		e := v.Endpoints()[0]
		if n := v.Network(e.ID.Network); n == nil || n.Owner(e.IP) != "endpoint "+e.ID.String() {
			t.Errorf("the owner of %s is not %s", e.IP, e.ID)
		}
	})
}

package catalog_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"testing"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
)

// benchItems are the records of endpoints of 100 tenants on 1,000 hosts, as a list of the store has them.
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

// BenchmarkLoad is the first list of a netmaster that starts.
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

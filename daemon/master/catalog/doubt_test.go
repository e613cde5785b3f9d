package catalog_test

import (
	"net/netip"
	"testing"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// The answer to a transaction is lost, and the watch tells of it before what it took is given back: the address must not
// be given to anybody else, now or later.
func TestDoubt(t *testing.T) {
	db, c := memory.New(), catalog.New()
	var tx store.Tx
	tx.Put(record.Networks+"n.default", []byte(`{"id":"n.default","tenant":"default","networkName":"n","pktTagType":"vlan","pktTag":7,"subnetIP":"10.1.1.0","subnetLen":24,"ipAddrRange":"10.1.1.0-10.1.1.255"}`))
	if _, err := db.Commit(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
	load := func() {
		t.Helper()
		if err := c.Load(t.Context(), db, quiet); err != nil {
			t.Fatal(err)
		}
	}
	load()
	changes := c.Subscribe()
	defer changes.Close()
	a := netip.MustParseAddr("10.1.1.1")
	c.Change(func(v *catalog.View) {
		if err := v.Network("n.default").Pool4.Take(a); err != nil {
			t.Fatal(err)
		}
	})
	var lost store.Tx
	lost.Put(record.Endpoints+"n.default-c", []byte(`{"id":"n.default-c","netID":"n.default","endpointID":"c","ipAddress":"10.1.1.1"}`))
	if _, err := db.Commit(t.Context(), &lost); err != nil {
		t.Fatal(err)
	}
	load() // as the watch does
	c.Doubt()
	c.Change(func(v *catalog.View) { v.Network("n.default").Pool4.Release(a) })
	load()
	c.View(func(v *catalog.View) {
		n := v.Network("n.default")
		if err := n.Pool4.Take(a); err == nil || n.Pool4.InUse() != 1 || n.Endpoints() != 1 || v.Endpoint("n.default-c") == nil {
			t.Errorf("want 10.1.1.1 taken by the one endpoint, got %d in use, %v", n.Pool4.InUse(), err)
		}
	})
}

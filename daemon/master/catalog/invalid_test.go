// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"net/netip"
	"testing"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/identity"
)

// The answer to a transaction is lost, and its draft with it; the watch reports that it was carried out: the address must not be given to
// anybody else.
func TestUnknownOutcome(t *testing.T) {
	db, c := memory.New(), catalog.New()
	var tx store.Tx
	tx.Put(record.Networks+"default:n", []byte(`{"id":"n.default","tenant":"default","networkName":"n","pktTagType":"vlan","pktTag":7,"subnetIP":"10.1.1.0","subnetLen":24,"ipAddrRange":"10.1.1.0-10.1.1.255"}`))
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
	a := netip.MustParseAddr("10.1.1.1")
	put := store.Op{Key: record.Endpoints + "default:n:c", Value: []byte(`{"id":"n.default-c","netID":"n.default","endpointID":"c","ipAddress":"10.1.1.1"}`)}
	d := c.Draft()
	d.Apply(put)
	if inUse(d.Network(network)) != 1 || d.Endpoint(named("c")) == nil {
		t.Error("the draft must have what it has taken in")
	}
	c.View(func(v *catalog.View) {
		if inUse(v.Network(network)) != 0 || v.Endpoint(named("c")) != nil {
			t.Error("what is drafted must not be seen before it is committed")
		}
	})
	var lost store.Tx
	lost.Put(put.Key, put.Value)
	if _, err := db.Commit(t.Context(), &lost); err != nil {
		t.Fatal(err)
	}
	load() // as the watch does, and the next term
	load()
	c.View(func(v *catalog.View) {
		n := v.Network(network)
		if err := n.Check(identity.Group{}, a); err == nil || inUse(n) != 1 || n.Endpoints() != 1 || v.Endpoint(named("c")) == nil {
			t.Errorf("want 10.1.1.1 taken by the one endpoint, got %d in use, %v", inUse(n), err)
		}
	})
}

// After an outage a watch may report a deleted and recreated network only by its new record.
func TestAnotherNetworkOfTheName(t *testing.T) {
	c := catalog.New()
	key, group := record.Networks+"default:n", record.Groups+"default:g"
	put := func(rev store.Revision, network, pool string) {
		c.Apply(store.Update{Full: true, Revision: rev, Items: []store.Item{
			{Key: record.Objects + "global/global", Value: []byte(`{"name":"global","vlans":"1-4094","vxlans":"1-10000"}`), Revision: 1},
			{Key: key, Value: []byte(network), Revision: rev}, {Key: group, Value: []byte(pool), Revision: rev},
		}}, quiet)
	}
	put(2, `{"id":"n.default","tenant":"default","networkName":"n","pktTagType":"vlan","pktTag":7,"subnetIP":"10.1.1.0","subnetLen":24,"ipAddrRange":"10.1.1.0-10.1.1.255"}`,
		`{"id":"g:default","groupName":"g","tenantName":"default","networkName":"n","endpointGroupId":1}`)
	put(9, `{"id":"n.default","tenant":"default","networkName":"n","pktTagType":"vlan","pktTag":8,"subnetIP":"10.2.0.0","subnetLen":16,"ipAddrRange":"10.2.0.0-10.2.255.255"}`,
		`{"id":"g:default","groupName":"g","tenantName":"default","networkName":"n","endpointGroupId":1}`)
	c.View(func(v *catalog.View) {
		n := v.Network(network)
		if !n.Contains(netip.MustParseAddr("10.2.3.4")) || n.Contains(netip.MustParseAddr("10.1.1.4")) {
			t.Errorf("want the addresses of the new subnet, got %s", n.Record.Subnet)
		}
		vlans := v.Numbers().VLANs
		if err := vlans.Check(8); err == nil {
			t.Error("VLAN 8 is free, and the network has it")
		}
		if err := vlans.Check(7); err != nil {
			t.Errorf("VLAN 7 is nobody's, got %v", err)
		}
	})
}

// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"net/netip"
	"testing"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
)

// Addresses are given in turn, for all followers of the store alike; after a list of it, above the highest that is in use.
func TestAddressesInTurn(t *testing.T) {
	c := catalog.New()
	apply := func(u store.Update) {
		t.Helper()
		if err := c.Apply(u, quiet); err != nil {
			t.Fatal(err)
		}
	}
	next := func(c *catalog.Catalog, want string) {
		t.Helper()
		c.View(func(v *catalog.View) {
			if got, err := v.Network(network).Next4(identity.Group{}); err != nil || got != netip.MustParseAddr(want) {
				t.Errorf("want %s next, got %s, %v", want, got, err)
			}
		})
	}
	put := func(rev store.Revision, name, address string) {
		t.Helper()
		apply(store.Update{Items: []store.Item{{Key: record.Endpoints + named(name).String(), Value: endpointAt(name, address), Revision: rev}}, Revision: rev})
	}
	gone := func(rev store.Revision, name string) {
		t.Helper()
		apply(store.Update{Gone: []string{record.Endpoints + named(name).String()}, Revision: rev})
	}
	apply(store.Update{Full: true, Items: []store.Item{{Key: netKey, Value: []byte(netText), Revision: 1}}, Revision: 1})
	next(c, "10.1.1.1")
	put(2, "a", "10.1.1.1")
	put(3, "b", "10.1.1.2")
	put(4, "asked", "10.1.1.9")
	next(c, "10.1.1.3")
	gone(5, "a")
	gone(6, "b")
	next(c, "10.1.1.3")

	again := catalog.New()
	items := []store.Item{{Key: netKey, Value: []byte(netText), Revision: 1}, {Key: record.Endpoints + named("asked").String(), Value: endpointAt("asked", "10.1.1.9"), Revision: 4}}
	if err := again.Apply(store.Update{Full: true, Items: items, Revision: 6}, quiet); err != nil {
		t.Fatal(err)
	}
	next(again, "10.1.1.10")
}

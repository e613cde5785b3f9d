// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"net/netip"
	"testing"

	"pgregory.net/rapid"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
)

// Records arrive one by one in any order, even before the records that they need, disappear and return: in the end the pools equal those
// of a complete list.
func TestPoolsFollowInAnyOrder(t *testing.T) {
	world := map[string]string{
		record.Objects + "global/global": `{"name":"global","vlans":"1-4094","vxlans":"1-10000"}`,
		record.Tenants + "default":       `{"id":"default","tenant":"default","vrf":1}`,
		record.Networks + "default:n":    `{"id":"n.default","tenant":"default","networkName":"n","pktTagType":"vlan","pktTag":2,"subnetIP":"10.3.0.0","subnetLen":24,"ipAddrRange":"10.3.0.1-10.3.0.254"}`,
		record.Networks + "default:x":    `{"id":"x.default","tenant":"default","networkName":"x","pktTagType":"vxlan","pktTag":1,"extPktTag":7,"subnetIP":"10.2.0.0","subnetLen":24,"ipAddrRange":"10.2.0.1-10.2.0.254"}`,
		record.Groups + "default:g":      `{"id":"g:default","groupName":"g","tenantName":"default","networkName":"n","endpointGroupId":1,"pktTagType":"vlan","pktTag":2,"IPPool":"10.3.0.1-10.3.0.4"}`,
		record.Groups + "default:h":      `{"id":"h:default","groupName":"h","tenantName":"default","networkName":"n","endpointGroupId":2,"pktTagType":"vlan","pktTag":9}`,
		record.Endpoints + "default:n:a": `{"id":"n.default-a","netID":"n.default","endpointID":"a","endpointGroupKey":"g:default","ipAddress":"10.3.0.1"}`,
		record.Endpoints + "default:n:b": `{"id":"n.default-b","netID":"n.default","endpointID":"b","endpointGroupKey":"h:default","ipAddress":"10.3.0.9"}`,
		record.Endpoints + "default:x:c": `{"id":"x.default-c","netID":"x.default","endpointID":"c","ipAddress":"10.2.0.3"}`,
		catalog.HoldKey(identity.Network{Tenant: "default", Name: "n"}, netip.MustParseAddr("10.3.0.2")): `{"network":"default:n","group":"default:g","address":"10.3.0.2"}`,
		catalog.HoldKey(identity.Network{Tenant: "default", Name: "x"}, netip.MustParseAddr("10.2.0.3")): `{"network":"default:x","address":"10.2.0.3","quarantine":"released"}`,
		record.ServiceLBs + "default:s":             `{"id":"s:default","servicename":"s","tenantname":"default","subnet":"x","ipaddress":"10.2.0.8"}`,
		record.Providers + "default:s":              `{"id":"s:default"}`,
		record.Networks + "default:unreadable":      `{"id":`,
		record.Endpoints + "default:nowhere:orphan": `{"id":"nowhere.default-orphan","netID":"nowhere.default","endpointID":"orphan","ipAddress":"10.9.0.1"}`,
	}
	keys := []string{}
	for key := range world {
		keys = append(keys, key)
	}
	u := store.Update{Gone: keys}
	u.Sort()
	rapid.Check(t, func(rt *rapid.T) {
		c, rev := catalog.New(), store.Revision(1)
		now := map[string]store.Item{}
		tell := func(key string, put bool) {
			rev++
			u := store.Update{Revision: rev, Gone: []string{key}}
			delete(now, key)
			if put {
				now[key] = store.Item{Key: key, Value: []byte(world[key]), Revision: rev}
				u = store.Update{Revision: rev, Items: []store.Item{now[key]}}
			}
			if err := c.Apply(u, quiet); err != nil {
				rt.Fatal(err)
			}
		}
		for range rapid.IntRange(0, 30).Draw(rt, "changes") {
			tell(rapid.SampledFrom(keys).Draw(rt, "key"), rapid.Bool().Draw(rt, "put"))
		}
		for _, key := range rapid.Permutation(keys).Draw(rt, "order") {
			tell(key, true)
		}
		all, fresh := store.Update{Full: true, Revision: rev}, catalog.New()
		for _, it := range now {
			all.Items = append(all.Items, it)
		}
		all.Sort()
		if err := fresh.Apply(all, quiet); err != nil {
			rt.Fatal(err)
		}
		if got, want := describe(c), describe(fresh); got != want {
			rt.Fatalf("the catalog of a complete list has\n%s\nthat of single changes has\n%s", want, got)
		}
	})
}

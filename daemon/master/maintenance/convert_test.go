// SPDX-License-Identifier: Apache-2.0

package maintenance_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/maintenance"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/identity"
)

// legacy returns a store as an earlier build has left it.
func legacy() map[string]string {
	out := map[string]string{
		"/contiv.io/state/nets/n.t":               `{"id":"n.t","tenant":"t","networkName":"n","nwType":"data","pktTagType":"vlan","pktTag":7,"extPktTag":0,"subnetIP":"10.1.0.0","subnetLen":16,"gateway":"","ipAddrRange":"10.1.0.0-10.1.255.255","ipv6SubnetIP":"","ipv6SubnetLen":0,"ipv6Gateway":"","networkTag":"n.t"}`,
		"/contiv.io/state/nets/a.b.c":             `{"id":"a.b.c","tenant":"c","networkName":"a.b","nwType":"data","pktTagType":"vlan","pktTag":8,"extPktTag":0,"subnetIP":"10.2.0.0","subnetLen":24,"gateway":"10.2.0.254","ipAddrRange":"10.2.0.0-10.2.0.255","ipv6SubnetIP":"2001:db8::5","ipv6SubnetLen":64,"ipv6Gateway":"2001:db8::1","networkTag":"x"}`,
		"/contiv.io/state/endpointGroups/g:t":     `{"id":"g:t","groupName":"g","tenantName":"t","networkName":"n","endpointGroupId":3,"pktTagType":"vlan","pktTag":7,"extPktTag":0,"DSCP":0,"Bandwidth":"","Burst":0,"IPPool":"10.1.7.1-10.1.7.9","groupTag":"g.t"}`,
		"/contiv.io/state/serviceLB/s:t":          `{"id":"s:t","servicename":"s","tenantname":"t","subnet":"n","ports":["80:80:TCP"],"selectors":{"a":"b"},"ipaddress":"10.1.0.9"}`,
		"/contiv.io/state/provider/s:t":           `{"id":"s:t","ServiceName":"s:t","Providers":["10.1.0.10","10.1.0.9"]}`,
		"/contiv.io/ipam/holds/n.t/10.1.9.9":      `{"network":"n.t","group":"g:t","address":"10.1.9.9","quarantine":"operator","reason":"printer"}`,
		"/contiv.io/ipam/holds/a.b.c/2001:db8::7": `{"network":"a.b.c","address":"2001:db8::7","expires":"2030-01-02T03:04:05Z"}`,
		"/contiv.io/state/tenants/t":              `{"id":"t","tenant":"t","vrf":1}`,
		"/contiv.io/state/nets/bad":               `{`,

		"/contiv.io/claim/host/h1":                    `{"machine":"m1","host":"h1","vtep":"192.0.2.1","control":"10.0.0.1:9090","since":"2030-01-02T03:04:05Z"}`,
		"/contiv.io/claim/vtep/192.0.2.1":             `{"machine":"m1","host":"h1","vtep":"192.0.2.1","control":"10.0.0.1:9090","since":"2030-01-02T03:04:05Z"}`,
		"/contiv.io/claim/control/10.0.0.1:9090":      `{"machine":"m1","host":"h1","vtep":"192.0.2.1","control":"10.0.0.1:9090","since":"2030-01-02T03:04:05Z"}`,
		"/contiv.io/claim/live/h1":                    `{"machine":"m1","seat":"secret"}`,
		"/contiv.io/service/netplugin.vtep/192.0.2.1": `{"ServiceName":"netplugin.vtep","HostAddr":"192.0.2.1","Port":8472,"Hostname":"h1","UplinkMAC":"02:00:00:00:00:01","Node4":"10.0.0.1","Version":"v1"}`,
		"/contiv.io/claim/host/h2":                    `{"machine":"m2","host":"h2","vtep":"192.0.2.2","since":"2030-01-02T03:04:05Z"}`,
		"/contiv.io/claim/host/h3":                    `{"machine":"m3","host":"h3","vtep":"192.0.2.3","since":"2030-01-02T03:04:05Z"}`,
		"/contiv.io/state/host/h3":                    `{"host":"h3","machine":"m4","seat":"s","vtep":"192.0.2.9","port":4789,"version":"v2","since":"2031-01-02T03:04:05Z"}`,
	}
	for i := range 50 {
		out[fmt.Sprintf("/contiv.io/state/eps/n.t-c%d", i)] = fmt.Sprintf(`{"id":"n.t-c%d","netID":"n.t","endpointID":"c%d","endpointGroupId":3,"endpointGroupKey":"g:t",`+
			`"ipAddress":"10.1.1.%d","macAddress":"02:02:0a:01:01:%02x","homingHost":"h1","containerId":"c%d","machine":"m","tenant":"t"}`, i, i, i, i, i)
	}
	return out
}

// failing is a store that fails after a number of transactions.
type failing struct {
	store.Store
	left int
}

var errEnd = errors.New("the leader ends")

func (f *failing) Limits() store.Limits { return store.Limits{Ops: 8, Bytes: 1 << 20} }

func (f *failing) Commit(ctx context.Context, tx *store.Tx) (store.Revision, error) {
	if f.left--; f.left < 0 {
		return 0, errEnd
	}
	if n := len(tx.Ops()); n+1 > f.Limits().Ops {
		return 0, store.ErrTooLarge
	}
	return f.Store.Commit(ctx, tx)
}

// If a leader ends at any step of the conversion, the next one continues, and in the end masters have all objects of the earlier build.
func TestConvert(t *testing.T) {
	for ends := range 25 {
		db := memory.New()
		var tx store.Tx
		for key, value := range legacy() {
			tx.Put(key, []byte(value))
		}
		tx.Put(record.LeaderKey, []byte("me"))
		rev, err := db.Commit(t.Context(), &tx)
		if err != nil {
			t.Fatal(err)
		}
		fence, quiet := store.Fence{Key: record.LeaderKey, Created: rev}, slog.New(slog.DiscardHandler)
		if _, err := maintenance.Convert(t.Context(), &failing{db.Open(), ends}, fence, quiet); err != nil && !errors.Is(err, errEnd) {
			t.Fatal(err)
		}
		before := revision(t, db)
		last, err := maintenance.Convert(t.Context(), &failing{db.Open(), 1000}, fence, quiet)
		if err != nil {
			t.Fatal(err)
		}
		if after := revision(t, db); after > before && last != after || after == before && last != 0 {
			t.Errorf("from %d to %d: want the revision of the last transaction, 0 for none, got %d", before, after, last)
		}
		check(t, db)
		again := &failing{db.Open(), 0}
		if _, err := maintenance.Convert(t.Context(), again, fence, quiet); err != nil {
			t.Errorf("a store that is converted must not be written: %v", err)
		}
	}
}

func revision(t *testing.T, db *memory.Store) store.Revision {
	t.Helper()
	_, rev, err := db.Open().List(t.Context(), record.Networks)
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

func check(t *testing.T, db *memory.Store) {
	t.Helper()
	items, _, err := db.Open().List(t.Context(), record.Root)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]struct{}{}
	for _, it := range items {
		keys[it.Key] = struct{}{}
	}
	want := []string{"/contiv.io/claim/live/h1", "/contiv.io/ipam/holds/c:a.b/2001:db8::7", "/contiv.io/ipam/holds/t:n/10.1.9.9", "/contiv.io/lock/netmaster/leader",
		"/contiv.io/service/netplugin.vtep/192.0.2.1",
		"/contiv.io/state/group/t:g", "/contiv.io/state/host/h1", "/contiv.io/state/host/h2", "/contiv.io/state/host/h3", "/contiv.io/state/nets/bad", "/contiv.io/state/network/c:a.b", "/contiv.io/state/network/t:n",
		"/contiv.io/state/providers/t:s", "/contiv.io/state/service/t:s", "/contiv.io/state/tenants/t"}
	maps.DeleteFunc(keys, func(key string, _ struct{}) bool { return strings.HasPrefix(key, record.Endpoints) })
	if got := slices.Sorted(maps.Keys(keys)); !slices.Equal(got, want) {
		t.Errorf("keys: want %v, got %v", want, got)
	}
	known := catalog.New()
	if err := known.Load(t.Context(), db.Open(), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	known.View(func(v *catalog.View) {
		n := v.Network(identity.Network{Tenant: "t", Name: "n"})
		if v.CountEndpoints() != 50 || n == nil || n.Allocated() != 52 || v.CountIn(identity.Group{Tenant: "t", Name: "g"}) != 50 || len(v.Holds()) != 2 {
			t.Errorf("want 50 endpoints and all of their addresses, got %d endpoints, %d holds", v.CountEndpoints(), len(v.Holds()))
		}
		one := record.Host{Label: "h1", Machine: "m1", Instance: record.Sum([]byte("secret")), VTEP: netip.MustParseAddr("192.0.2.1"), Port: 8472, UplinkMAC: record.MAC{2, 0, 0, 0, 0, 1},
			Control: netip.MustParseAddrPort("10.0.0.1:9090"), Node4: netip.MustParseAddr("10.0.0.1"), Version: "v1", Since: "2030-01-02T03:04:05Z"}
		if h1, h2, h3 := v.Host("h1"), v.Host("h2"), v.Host("h3"); h1 == nil || !h1.Equal(&one) || h2 == nil || h2.Machine != "m2" || h3 == nil || h3.Machine != "m4" {
			t.Errorf("hosts: got %+v, %+v and %+v", h1, h2, h3)
		}
		p := v.Provider(identity.Service{Tenant: "t", Name: "s"})
		if p == nil || len(p.Addresses) != 2 || !p.Addresses[0].Less(p.Addresses[1]) {
			t.Errorf("providers: got %v", p)
		}
	})
}

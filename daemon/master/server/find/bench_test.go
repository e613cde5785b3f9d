// SPDX-License-Identifier: Apache-2.0

package find

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"runtime"
	"testing"

	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
)

// populated returns a catalog with endpoints of 100 tenants on 1,000 hosts, half of which are pods with four labels, one of which no other has.
func populated(tb testing.TB, n int) *catalog.Catalog {
	tb.Helper()
	items := make([]store.Item, 0, n)
	for i := range n {
		at := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		four, sum := at.As4(), sha256.Sum256(fmt.Append(nil, i))
		id := hex.EncodeToString(sum[:])
		e := record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: fmt.Sprint("tenant-", i%100), Name: "front"}, Endpoint: id}, ContainerID: id,
			CommonName: fmt.Sprint("app-", i), Host: fmt.Sprint("host-", i%1000), IP: at, MAC: record.MAC(append([]byte{2, 2}, four[:]...))}
		if i%2 == 0 {
			e.Pod.ID = identity.Pod{Namespace: fmt.Sprint("ns-", i%50), Name: fmt.Sprint("web-", i)}
			e.CommonName = e.Pod.ID.Name
			e.Labels = map[string]string{"app.kubernetes.io/name": fmt.Sprint("shop-", i%300), "tier": []string{"front", "back"}[i/2%2], "pod-template-hash": id[:3] + "7c9b4",
				"statefulset.kubernetes.io/pod-name": e.Pod.ID.Name}
		}
		value, err := json.Marshal(e)
		if err != nil {
			tb.Fatal(err)
		}
		items = append(items, store.Item{Key: record.Endpoints + e.ID.String(), Value: value, Revision: store.Revision(i + 1), Created: store.Revision(i + 1)})
	}
	c := catalog.New()
	if err := c.Apply(store.Update{Full: true, Items: items, Revision: store.Revision(n)}, slog.New(slog.DiscardHandler)); err != nil {
		tb.Fatal(err)
	}
	return c
}

// BenchmarkFind searches 200,000 endpoints, with names of which few, many and none match, and with addresses.
func BenchmarkFind(b *testing.B) {
	f := New(populated(b, 200_000))
	for _, text := range []string{"web-199998", "a", "nowhere", "10.1.2.3", "10.1", "02:02:0a:01", "02:02:0a:01:02:03", "tenant-7:front:", "ns-2/web-1", "4f", "1", "tier=front", "app.kubernetes.io/name=shop-7", "shop-"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				if _, err := f.search(&auth.Subject{Anyone: true}, text, defaultLimit); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkIndex makes the index of 200,000 endpoints, which the first search does.
func BenchmarkIndex(b *testing.B) {
	now := populated(b, 200_000).Endpoints()
	b.ReportAllocs()
	var x *index
	before := live()
	for b.Loop() {
		x = (*index)(nil).updated(now)
	}
	b.ReportMetric(float64(live()-before)/float64(now.Len()), "B/endpoint")
	runtime.KeepAlive(x)
}

// live is the memory that is in use.
func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

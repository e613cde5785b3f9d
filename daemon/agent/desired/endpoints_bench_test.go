// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"runtime"
	"testing"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
)

// BenchmarkEndpoints takes in the endpoints of a large cluster, with the indexes by which others find them.
func BenchmarkEndpoints(b *testing.B) {
	const endpoints, perGroup = 10000, 50
	blue := network("net", "blue", 100)
	items := make([]channel.Item, endpoints)
	for i := range items {
		e := member(blue, fmt.Sprint("e", i), fmt.Sprint("h", i%100), i)
		e.Group.Tenant, e.Group.Name, e.CommonName = "blue", fmt.Sprint("g", i/perGroup), fmt.Sprint("web-", i)
		e.IP = netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)})
		value, err := json.Marshal(e)
		if err != nil {
			b.Fatal(err)
		}
		items[i] = channel.Item{Key: record.Endpoints + e.ID.String(), Value: value}
	}
	var before, after runtime.MemStats
	b.ReportAllocs()
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		r := newRecords("h1")
		for _, item := range items {
			if err := r.put(item); err != nil {
				b.Fatal(err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(r)
	}
	b.ReportMetric(endpoints, "records")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-held")
}

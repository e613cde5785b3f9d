// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"fmt"
	"testing"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// BenchmarkSpareHistory is what a transaction looks for while there are far too many records of what happened: of 1,000 writers.
func BenchmarkSpareHistory(b *testing.B) {
	const records = 200_000
	items := make([]store.Item, 0, records)
	for i := range records {
		items = append(items, store.Item{Key: fmt.Sprintf("%s%016x", record.History, i), Revision: store.Revision(i + 1),
			Value: fmt.Appendf(nil, `{"t":1,"e":[{"b":{"a":"192.0.2.%d"},"c":[{"k":"endpoint"}]}]}`, i%1000)})
	}
	c := catalog.New()
	if err := c.Apply(store.Update{Full: true, Items: items, Revision: records}, quiet); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		c.View(func(v *catalog.View) {
			if n := len(v.SpareHistory(100)); n != 100 {
				b.Fatalf("want 100, got %d", n)
			}
		})
	}
}

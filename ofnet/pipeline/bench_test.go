// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"fmt"
	"testing"

	"github.com/contiv/contiv/ofnet/ofnettest"
)

// BenchmarkOneEndpoint compiles what one more endpoint touches, of this host or another, in a network with many receivers here.
func BenchmarkOneEndpoint(b *testing.B) {
	for _, host := range []string{"h0", "h7"} {
		for _, here := range []int{10, 100, 1000} {
			b.Run(fmt.Sprintf("%s/%d", host, here), func(b *testing.B) {
				s, p := ofnettest.Many(here, 5000), Default()
				for id, e := range s.Endpoints.Clone().All() {
					here := *e
					here.Segment = "t:n0"
					s.Endpoints.Set(id, &here)
				}
				e := ofnettest.Endpoint(1<<20, 200)
				e.Segment, e.Host = "t:n0", host
				b.ReportAllocs()
				for b.Loop() {
					before := s.Clone()
					s.Endpoints.Set(e.ID, e)
					for _, k := range affected(p, before, s) {
						p.Compile(s, k)
					}
					s.Endpoints.Delete(e.ID)
				}
			})
		}
	}
}

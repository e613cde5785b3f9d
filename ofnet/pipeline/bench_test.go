package pipeline

import (
	"fmt"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ofnettest"
)

// BenchmarkOneEndpoint compiles what one more endpoint touches, of this host or another, in a network with many receivers here.
func BenchmarkOneEndpoint(b *testing.B) {
	for _, host := range []string{"h0", "h7"} {
		for _, here := range []int{10, 100, 1000} {
			b.Run(fmt.Sprintf("%s/%d", host, here), func(b *testing.B) {
				s, p := ofnettest.Many(here, 5000), Default()
				for _, e := range s.Endpoints {
					e.Segment = "n0.t"
				}
				s.Reindex()
				e := ofnettest.Endpoint(1<<20, 200)
				e.Segment, e.Host = "n0.t", host
				key := ofnet.Key{Kind: ofnet.KindEndpoint, Name: e.ID}
				b.ReportAllocs()
				for b.Loop() {
					s.Endpoints[e.ID] = e
					touched := p.Touched(s, key)
					s.Touch(key)
					for _, k := range touched {
						p.Compile(s, k)
					}
					delete(s.Endpoints, e.ID)
					s.Touch(key)
				}
			})
		}
	}
}

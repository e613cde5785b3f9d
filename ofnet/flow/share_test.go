// SPDX-License-Identifier: Apache-2.0

package flow_test

import (
	"fmt"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Every flow belongs to exactly one share, and none has many more than it should.
func TestShares(t *testing.T) {
	for _, tt := range []struct{ flows, size, want int }{{0, 2048, 1}, {2048, 2048, 1}, {2049, 2048, 2}, {10_000, 2048, 8}, {1 << 20, 1, flow.MaxShares}} {
		shares := flow.Shares(tt.flows, tt.size)
		if len(shares) != tt.want {
			t.Fatalf("%d flows by %d: want %d shares, got %d", tt.flows, tt.size, tt.want, len(shares))
		}
		has := make([]int, len(shares))
		for i := range 10_000 {
			c := flow.NewCookie(7, 3, flow.Owner(ofnet.Key{Kind: ofnet.KindEndpoint, Name: fmt.Sprint(i)}))
			in := 0
			for n, s := range shares {
				if s.Has(c) {
					in++
					has[n]++
				}
			}
			if in != 1 {
				t.Fatalf("%d flows by %d: cookie %#x is in %d shares", tt.flows, tt.size, uint64(c), in)
			}
		}
		for n, s := range shares {
			if mean := 10_000 / len(shares); has[n] > 2*mean || has[n] < mean/2 {
				t.Errorf("share %d of %d has %d of 10,000 flows", n, len(shares), has[n])
			}
			if s.Last() != (n == len(shares)-1) {
				t.Errorf("share %d of %d: last is %v", n, len(shares), s.Last())
			}
		}
	}
	if all := (flow.Share{}); !all.Has(flow.NewCookie(1, 2, 12345)) || !all.Last() {
		t.Error("the zero share is not all")
	}
}

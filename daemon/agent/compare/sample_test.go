// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"math/rand/v2"
	"testing"

	"github.com/contiv/contiv/ofnet/ofnettest"
)

// TestTurns: after two questions about pairs for each endpoint of this host, each was asked about as the sender and as the receiver.
func TestTurns(t *testing.T) {
	s := ofnettest.Parse(t, text(t, "state.txt")+more)
	p, r := list(s), rand.New(rand.NewPCG(1, 2))
	sent, received := map[string]bool{}, map[string]bool{}
	for turn := range 2 * len(p.here) {
		if q, ok := p.aboutPair(s, r, turn); ok {
			sent[q.from], received[q.to] = true, true
		}
	}
	for _, id := range p.here {
		if !sent[id] || !received[id] {
			t.Errorf("endpoint %s: asked about as the sender %v, as the receiver %v; want both", id, sent[id], received[id])
		}
	}
}

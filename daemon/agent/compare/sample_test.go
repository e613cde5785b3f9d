// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"math/rand/v2"
	"testing"

	"github.com/contiv/contiv/ofnet"
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

// TestShares: each kind of question has turns in proportion to its objects, and pairs have a third at least.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		here, rules, ports int
		want               turns
	}{
		{3, 0, 0, turns{90, 0, 0}},
		{3, 3, 0, turns{60, 30, 0}},
		{3, 2, 1, turns{60, 20, 10}},
		{1, 1000, 500, turns{30, 30, 30}},
	} {
		p := &pool{here: make([]string, c.here), rules: make([]ofnet.AttachedRule, c.rules), ports: c.ports}
		var got turns
		for range 90 {
			got[got.next(p)]++
		}
		if got != c.want {
			t.Errorf("%d endpoints, %d rules, %d ports of services: got %v turns, want %v", c.here, c.rules, c.ports, got, c.want)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"testing"
)

// Changed limits count for servers that exist, and for those made later.
func TestBounds(t *testing.T) {
	b := NewBounds(Limits{Traces: 1})
	before := b.server()
	if b.traces.Max() != 1 || b.captures.Max() != DefaultCaptures || b.names.Has("h1.example") {
		t.Errorf("at first: got %d, %d", b.traces.Max(), b.captures.Max())
	}
	b.Apply(Limits{Traces: 3, Captures: 2, Connections: 5, PerClient: 4, Hosts: []string{"h1.example"}})
	if b.traces.Max() != 3 || b.captures.Max() != 2 || b.watches.Max() != 2 || !b.names.Has("h1.example") {
		t.Errorf("changed: got %d, %d, %d", b.traces.Max(), b.captures.Max(), b.watches.Max())
	}
	for _, c := range append(b.connections, before, b.server()) {
		if total, each := c.Max(); total != 5 || each != 4 {
			t.Errorf("connections: got %d, %d", total, each)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package bridge_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ovstest"
)

// killing is a real switch that is killed within its second chunk, and started again.
type killing struct {
	bridge.Connector
	ovs    *ovstest.OVS
	chunks int
	seen   string // what it had then
}

func (k *killing) Connect(ctx context.Context) (bridge.Switch, error) {
	sw, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &killed{sw, k}, nil
}

type killed struct {
	bridge.Switch
	of *killing
}

func (s *killed) Fill(ctx context.Context, pieces iter.Seq[*flow.Delta]) error {
	if s.of.chunks++; s.of.chunks != 2 {
		return s.Switch.Fill(ctx, pieces)
	}
	return s.Switch.Fill(ctx, func(yield func(*flow.Delta) bool) {
		n := 0
		for d := range pieces {
			if n++; n == 10 {
				s.of.seen = s.of.ovs.Ofctl("dump-flows", "br0")
				s.of.ovs.StopSwitch()
				s.of.ovs.StartSwitch()
			}
			if !yield(d) {
				return
			}
		}
	})
}

// A switch that is killed while it is filled had no flow in its first table, and gets everything when it is back.
func TestKilledWhileFilled(t *testing.T) {
	const owners = 12000
	o, sw := newOVS(t)
	k := &killing{Connector: sw, ovs: o}
	r := bridge.NewReconciler("h0", manyEndpoints(owners), k, bridge.Options{})
	start(t, r)
	r.Update(1, nothing)
	wait(t, r, 1)
	if first, some := strings.Contains(k.seen, "table=0"), strings.Count(k.seen, "table=2,"); first || some == 0 || some == owners {
		t.Errorf("when it was killed: want some flows, and none in table 0 (%v), got %d of %d in table 2", first, some, owners)
	}
	have := o.Ofctl("dump-flows", "br0")
	for _, table := range []string{"table=2,", "table=4,"} {
		if got := strings.Count(have, table); got != owners {
			t.Errorf("%s: want %d flows, got %d", table, owners, got)
		}
	}
	if got := strings.Count(have, "goto_table:2"); got != owners {
		t.Errorf("first table: want %d flows, got %d", owners, got)
	}
}

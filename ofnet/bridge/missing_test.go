// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/ovstest"
)

// A real switch has meters and groups; one that reports none lacks them.
func TestLacks(t *testing.T) {
	o := ovstest.Start(t)
	o.Bridge("br0")
	got, room, err := NewOpenFlow(o.Mgmt("br0"), openflow.Options{}).Missing(t.Context())
	if err != nil || got&^ofnet.Forgetting != 0 || got.Has(ofnet.Forgetting) == ovstest.Forgets(t) {
		t.Errorf("a real switch lacks %q, %v; want what its version lacks", got, err)
	}
	if room.Meters < 1000 || room.Groups < 1000 {
		t.Errorf("a real switch has room for %d meters and %d groups, want thousands", room.Meters, room.Groups)
	}
	for _, row := range []struct {
		name string
		can  openflow.Can
		want ofnet.Abilities
	}{
		{"everything", openflow.Can{Groups: 15, Meters: 1, Bands: 2}, 0},
		{"no meters", openflow.Can{Groups: 15, Bands: 2}, ofnet.Meters},
		{"bands that only mark", openflow.Can{Groups: 15, Meters: 1, Bands: 4}, ofnet.Meters},
		{"groups of type all only", openflow.Can{Groups: 1, Meters: 1, Bands: 2}, ofnet.Groups},
		{"nothing", openflow.Can{}, ofnet.Meters | ofnet.Groups},
	} {
		if got := lackedOf(row.can); got != row.want {
			t.Errorf("%s: lacks %q, want %q", row.name, got, row.want)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package app

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// On a narrow terminal, a list hides columns of a low rank and counts them; tenants, names and subnets are whole. ctrl+w shows all columns.
func TestNarrowNetworks(t *testing.T) {
	for _, width := range []int{80, 90, 100} {
		m := realModel(t, mono(t, false), opened(t, "networks"), width, minHeight)
		s, now := realistic()
		for _, o := range s.Objects[model.KindNetwork().Name] {
			n := o.(*model.Network)
			n.Subnet, n.Gateway, n.CfgdTag = "10.100.200.0/24", "10.100.200.254", "front-of-house"
		}
		s.Received = now
		m.Update(s)
		frame := Plain(m.Frame())
		for _, whole := range []string{"default", "10.100.200.0/24", "10.100.200.254", "Free", "hidden (ctrl+w)"} {
			if !strings.Contains(frame, whole) {
				t.Errorf("width %d: want %q in\n%s", width, whole, frame)
			}
		}
		if strings.Contains(frame, "Packet") {
			t.Errorf("width %d: want the column Packet tag hidden, got\n%s", width, frame)
		}
		if width == 100 {
			golden(t, "networks-narrow.txt", frame+"\n")
		}
		press(m, "ctrl+w")
		if frame = Plain(m.Frame()); !strings.Contains(frame, "Pack") || strings.Contains(frame, "hidden") {
			t.Errorf("width %d: want all columns after ctrl+w, got\n%s", width, frame)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"testing"

	"github.com/contiv/contiv/ofnet/link"
)

func TestRoom(t *testing.T) {
	for _, row := range []struct {
		name                    string
		room                    link.Room
		vxlan, vlan             int // bridged
		routedVXLAN, routedVLAN int
	}{
		{"alike", link.Room{Tunnel: 1500, Overhead: 50, Trunk: 1500}, 1450, 1500, 1450, 1450},
		{"a jumbo NIC for tunnels", link.Room{Tunnel: 9000, Overhead: 50, Trunk: 1500}, 8950, 1500, 1500, 1500},
		{"a jumbo trunk", link.Room{Tunnel: 1500, Overhead: 70, Trunk: 9000}, 1430, 9000, 1430, 1430},
		{"no uplinks", link.Room{Tunnel: 1500, Overhead: 50}, 1450, 1500, 1450, 1450},
	} {
		for _, got := range []struct {
			name      string
			got, want int
		}{{"VXLAN", row.room.InTunnel(false), row.vxlan}, {"VLAN", row.room.OnTrunk(false), row.vlan},
			{"routed VXLAN", row.room.InTunnel(true), row.routedVXLAN}, {"routed VLAN", row.room.OnTrunk(true), row.routedVLAN}} {
			if got.got != got.want {
				t.Errorf("%s: %s: got %d, want %d", row.name, got.name, got.got, got.want)
			}
		}
	}
}

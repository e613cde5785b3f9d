// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"fmt"
)

// The physical switch of a host's uplinks, if it must support LACP: a learning bridge in the host's own Open vSwitch, with a port channel
// of the far ends of the uplinks and a device in the trunk. (The kernel's bridges never forward LACP.)
const (
	channelSwitch = "switch"
	channelPort   = "channel"
	channelTrunk  = "trunk0"
)

// channelMember is the far end of a host's uplink number i, counted from 0.
func channelMember(i int) string { return fmt.Sprintf("port%d", i+1) }

// wireChannel makes the physical switch of a host's uplinks.
func (l *Lab) wireChannel(ctx context.Context, host int) error {
	args := []string{"ovs-vsctl", "--timeout=15", "add-br", channelSwitch,
		"--", "set", "bridge", channelSwitch, "datapath_type=" + l.datapath(), "fail_mode=standalone",
		"--", "add-port", channelSwitch, channelTrunk, "--", "add-bond", channelSwitch, channelPort}
	for i := range l.uplinks() {
		args = append(args, channelMember(i))
	}
	return l.onHost(ctx, host, append(args, "bond_mode=balance-tcp", "lacp=active", "other_config:lacp-time=fast")...)
}

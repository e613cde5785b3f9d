// SPDX-License-Identifier: Apache-2.0

package vswitch

import (
	"fmt"
	"net"
	"slices"

	"github.com/contiv/contiv/daemon/flags"
)

// UplinkSettings name the NICs that carry VLANs, and how several are used together.
type UplinkSettings struct {
	NICs []string
	Bond string // BondBackup or BondLACP; "": BondBackup
}

// Register adds the flags.
func (s *UplinkSettings) Register(f *flags.Set) {
	f.List(&s.NICs, "vlan-uplinks", "VLAN_UPLINKS", "NICs that carry VLANs; required with --netmode vlan", "vlan-if")
	f.String(&s.Bond, "uplink-bond", "UPLINK_BOND", BondBackup, "bonding mode of several uplinks: active-backup (one at a time) or lacp (all, negotiated with the peer switch)")
}

// Check returns an error for invalid settings. An interface that the host does not have yet is flags.ErrAbsent.
func (s *UplinkSettings) Check() error {
	if err := flags.OneOf("uplink-bond", s.Bond, BondBackup, BondLACP); err != nil {
		return err
	}
	if s.Bond == BondLACP && len(s.NICs) < 2 {
		return fmt.Errorf("--uplink-bond lacp is for several NICs: name two or more with --vlan-uplinks")
	}
	for i, nic := range s.NICs {
		if slices.Contains(s.NICs[:i], nic) {
			return fmt.Errorf("--vlan-uplinks names %s twice", nic)
		}
		if _, err := net.InterfaceByName(nic); err != nil {
			return fmt.Errorf("--vlan-uplinks %s: %w; `ip link` lists those that are", nic, flags.ErrAbsent)
		}
	}
	return nil
}

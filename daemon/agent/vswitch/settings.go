// SPDX-License-Identifier: Apache-2.0

package vswitch

import (
	"fmt"
	"strconv"

	"github.com/contiv/contiv/daemon/flags"
)

// Settings configure the access to Open vSwitch, and its bridge.
type Settings struct {
	RunDir    string // directory of the sockets of Open vSwitch
	Datapath  string // "auto", "netdev" or "system"; "": "auto"
	VXLANPort int    // UDP

	port string
}

// Register adds the flags.
func (s *Settings) Register(f *flags.Set) {
	f.String(&s.port, "vxlan-port", "VXLAN_PORT", "4789", "UDP port of VXLAN")
	f.String(&s.Datapath, "datapath", "DATAPATH", "auto", "datapath of Open vSwitch: system (kernel), netdev (userspace) or auto")
	f.String(&s.RunDir, "ovs-rundir", "OVS_RUNDIR", "/run/openvswitch", "directory of Open vSwitch's sockets")
}

// Check parses the port, and returns an error for invalid settings.
func (s *Settings) Check() (err error) {
	if err := flags.OneOf("datapath", s.Datapath, "auto", "netdev", "system"); err != nil {
		return err
	}
	if s.VXLANPort, err = strconv.Atoi(s.port); err != nil || s.VXLANPort < 1 || s.VXLANPort > 65535 {
		return fmt.Errorf("--vxlan-port %s: it is a number from 1 to 65535", s.port)
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/vishvananda/netlink"
)

// datapathFamily is the generic netlink family of the kernel's Open vSwitch datapath (linux/openvswitch.h).
const datapathFamily = "ovs_datapath"

// ErrNoKernelDatapath means that the kernel has no datapath for Open vSwitch.
var ErrNoKernelDatapath = errors.New("the kernel has no datapath for Open vSwitch (no generic netlink family " + datapathFamily +
	"); install the kernel's modules, or modprobe openvswitch")

// KernelDatapath returns nil if the kernel has a datapath for Open vSwitch, ErrNoKernelDatapath if it has none, and another error if that
// is unknown. Open vSwitch itself lists the type "system" on every Linux. The request makes the kernel load its module, if that is
// installed.
func KernelDatapath() error {
	_, err := netlink.GenlFamilyGet(datapathFamily)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrNoKernelDatapath
	case err != nil:
		return fmt.Errorf("look for generic netlink family %s: %w", datapathFamily, err)
	}
	return nil
}

package link

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/vishvananda/netlink"
)

// datapathFamily is the generic netlink family by which ovs-vswitchd speaks with the kernel's datapath (linux/openvswitch.h).
const datapathFamily = "ovs_datapath"

// ErrNoKernelDatapath says that the kernel has no datapath for Open vSwitch.
var ErrNoKernelDatapath = errors.New("the kernel has no datapath for Open vSwitch (no generic netlink family " + datapathFamily +
	"); install the kernel's modules, or modprobe openvswitch")

// KernelDatapath returns nil if the kernel has a datapath for Open vSwitch, ErrNoKernelDatapath if it has none, and another error if that is
// unknown. Open vSwitch cannot answer this: it lists the type "system" on every Linux. The kernel loads its module for the request, if the
// module is installed.
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

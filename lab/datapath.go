// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"errors"
	"fmt"
	"io"

	"github.com/contiv/contiv/ofnet/link"
)

// Datapaths of the hosts' switches. A lab has one: frames that the kernel's datapath leaves to offload stall at a port of the one in user
// space.
const (
	DatapathAuto   = "auto" // the kernel's, if it has one
	DatapathSystem = "system"
	DatapathNetdev = "netdev"
)

// chooseDatapath replaces auto by what the machine has, and returns that datapath.
func (p *Plan) chooseDatapath(out io.Writer) error {
	none := link.KernelDatapath()
	switch p.Datapath {
	case DatapathNetdev:
	case DatapathSystem:
		if none != nil {
			return fmt.Errorf("datapath %s: %w; or take --datapath %s", DatapathSystem, none, DatapathNetdev)
		}
	case "", DatapathAuto:
		if none != nil && !errors.Is(none, link.ErrNoKernelDatapath) {
			return none
		}
		p.Datapath = DatapathSystem
		if none != nil {
			p.Datapath = DatapathNetdev
		}
	default:
		return fmt.Errorf("datapath %q: want %s, %s or %s", p.Datapath, DatapathAuto, DatapathSystem, DatapathNetdev)
	}
	where := "user space"
	if p.Datapath == DatapathSystem {
		where = "the kernel"
	}
	_, err := fmt.Fprintf(out, "lab: the switches forward in %s (datapath %s)\n", where, p.Datapath)
	return err
}

// datapath is that of all switches of the lab; for a lab created before there was a choice, the one in user space.
func (p *Plan) datapath() string {
	if p.Datapath == DatapathSystem {
		return DatapathSystem
	}
	return DatapathNetdev
}

// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"fmt"
	"slices"
)

// nics are the interfaces of a machine, in the order of the bridges.
var nics = []string{"mgmt0", "eth0", "eth1"}

// tap is the stand's end of a machine's cable.
func (m *Machine) tap(nic int) string { return fmt.Sprintf("h%d-%s", m.Number, bridges[nic]) }

// CutLink cuts the cable of an interface: nothing passes any more, and the machine keeps its carrier, as behind a switch.
func (m *Machine) CutLink(ctx context.Context, nic string) error {
	i, err := m.nic(nic)
	if err != nil {
		return err
	}
	return ip(ctx, "-n", m.stand.netns(), "link", "set", m.tap(i), "nomaster")
}

// RestoreLink mends the cable of an interface.
func (m *Machine) RestoreLink(ctx context.Context, nic string) error {
	i, err := m.nic(nic)
	if err != nil {
		return err
	}
	return ip(ctx, "-n", m.stand.netns(), "link", "set", m.tap(i), "master", bridges[i])
}

func (m *Machine) nic(name string) (int, error) {
	i := slices.Index(nics, name)
	if i < 0 {
		return 0, fmt.Errorf("link %s of %s: it has %v", name, m.Name, nics)
	}
	return i, nil
}

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

// CutLink cuts the cable of an interface: nothing passes any more, and the machine is not told, as where a switch is between.
func (m *Machine) CutLink(ctx context.Context, nic string) error { return m.setLink(ctx, nic, "0") }

// RestoreLink mends the cable of an interface.
func (m *Machine) RestoreLink(ctx context.Context, nic string) error { return m.setLink(ctx, nic, "3") }

// setLink sets the state of a bridge's port: 0 drops everything, 3 forwards.
func (m *Machine) setLink(ctx context.Context, nic, state string) error {
	i := slices.Index(nics, nic)
	if i < 0 {
		return fmt.Errorf("link %s of %s: it has %v", nic, m.Name, nics)
	}
	return ip(ctx, "-n", m.stand.netns(), "link", "set", m.tap(i), "type", "bridge_slave", "state", state)
}

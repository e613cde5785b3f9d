package node

import (
	"context"
	"path/filepath"

	"github.com/contiv/contiv/daemon/agent/checkup"
	"github.com/contiv/contiv/daemon/agent/examine"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// checks are what the agent looks at on its host, each by itself.
func (n *Node) checks() []examine.Check {
	containers := &checkup.Containers{Host: n.Host, Attached: n.attach.Configured, Services: n.desired.Services, Look: n.links.Look}
	sw := &checkup.Switch{Host: n.Host, OpenFlow: ManagementSocket(n.OVSRunDir), OVSDB: filepath.Join(n.OVSRunDir, "db.sock")}
	underlay := &checkup.Underlay{Host: n.Host, VTEP: n.VTEP, Find: n.links.Underlay, Interface: n.links.Interface, Bridge: n.isBridge,
		Members: func(ctx context.Context, bridge string) ([]string, error) {
			return checkup.Ports(ctx, filepath.Join(n.OVSRunDir, bridge+".mgmt"))
		},
		Flows: func(ctx context.Context, bridge string) (string, error) {
			return n.control(ctx, "bridge/dump-flows", bridge)
		}}
	out := &checkup.WayOut{Host: n.Host, Routes: n.access.Leaving, Onward: n.onward}
	return append([]examine.Check{sw.Check(), underlay.Check(), containers.Check(), out.Check()}, n.outlook.checks()...)
}

// isBridge tells whether an interface is a bridge of Open vSwitch.
func (n *Node) isBridge(name string) (is bool) {
	n.db.View(func(t *ovsdb.Tables) { _, _, is = t.Bridge(name) })
	return is
}

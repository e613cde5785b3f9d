package node

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/contiv/contiv/daemon/agent/checkup"
	"github.com/contiv/contiv/daemon/agent/examine"
	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/daemon/budget"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// checks are what the agent looks at on its host, each by itself.
func (n *Node) checks() []examine.Check {
	containers := &checkup.Containers{Host: n.Host, Attached: n.attach.Configured, Services: n.desired.Services, Look: n.links.Look}
	sw := &checkup.Switch{Host: n.Host, OpenFlow: ManagementSocket(n.OVSRunDir), OVSDB: filepath.Join(n.OVSRunDir, "db.sock"),
		Missing: func() bool { d, _ := n.sw.BridgeDrift(); return d.Gone }, Waits: n.restoreWait}
	integrity := &checkup.Integrity{Host: n.Host, Bridge: BridgeName, Drift: n.sw.BridgeDrift, Changed: n.changedByOthers, Now: time.Now}
	overlap := &checkup.Overlap{Host: n.Host, Private: n.access.Private, Find: n.links.Claimed}
	underlay := &checkup.Underlay{Host: n.Host, VTEP: n.VTEP, Find: n.links.Underlay, Interface: n.links.Interface, Bridge: n.isBridge,
		Members: func(ctx context.Context, bridge string) ([]string, error) {
			return checkup.Ports(ctx, filepath.Join(n.OVSRunDir, bridge+".mgmt"))
		},
		Flows: func(ctx context.Context, bridge string) (string, error) {
			return n.control(ctx, "bridge/dump-flows", bridge)
		}}
	out := &checkup.WayOut{Host: n.Host, Routes: n.access.Leaving, Onward: n.onward, Unrouted: link.Unrouted, Now: time.Now,
		Sent: func() (uint64, error) { return link.Received(hostaccess.PortName) }}
	router := &checkup.Router{Host: n.Host, Status: n.router.Status}
	tracked := &checkup.Tracker{Host: n.Host, Usage: n.tracker.Usage}
	left := &checkup.Descriptors{Host: n.Host, Count: budget.Descriptors}
	crowded := &checkup.Policies{Host: n.Host, Crowded: n.crowded}
	published := &checkup.Published{Host: n.Host, Unreached: n.access.Unreached, Kept: n.access.Kept}
	attachments := &checkup.Attachments{Failures: n.attach.Failures}
	datapath := &checkup.Datapath{Host: n.Host, Type: n.sw.DatapathType, Lacks: n.desired.Lacks}
	clock := &checkup.Clock{Host: n.Host, Masters: n.everyMaster, Ask: n.askDate, Now: time.Now}
	stores := &checkup.Stores{Host: n.Host, Others: n.told.Others}
	policies := n.flows.Number("policy")
	refusals := &checkup.Refusals{Host: n.Host, Rules: n.rules, Now: time.Now,
		Hits: func(ctx context.Context) (map[uint64]bridge.Hits, error) { return n.forward.Hits(ctx, policies) }}
	return append([]examine.Check{sw.Check(), underlay.Check(), containers.Check(), out.Check(), router.Check(), attachments.Check(), published.Check(), crowded.Check(), refusals.Check(), datapath.Check(), clock.Check(), stores.Check(),
		integrity.Check(), overlap.Check(), tracked.Check(), left.Check()}, n.outlook.checks()...)
}

// rules are those of groups, of any host.
func (n *Node) rules() (out []ofnet.AttachedRule) {
	n.forward.View(func(s *ofnet.State) { out = slices.Collect(s.AttachedRules()) })
	return out
}

// crowded are the policies of Kubernetes of which some rules have no place in the switch.
func (n *Node) crowded() (out []*ofnet.ClassPolicy) {
	n.forward.View(func(s *ofnet.State) { out = s.Crowded() })
	return out
}

// restoreWait reports whether Open vSwitch waits for flows to be restored.
func (n *Node) restoreWait() (waits bool) {
	n.db.View(func(t *ovsdb.Tables) { waits = t.Waits() })
	return waits
}

// isBridge reports whether an interface is a bridge of Open vSwitch.
func (n *Node) isBridge(name string) (is bool) {
	n.db.View(func(t *ovsdb.Tables) { _, _, is = t.Bridge(name) })
	return is
}

// Package node puts the parts of an agent together: it prepares the switch of its host, keeps it equal to what the
// store says, serves containers, and shows what it does.
package node

import (
	"context"
	"fmt"
	"net/netip"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/agent/bgp"
	"github.com/contiv/contiv/daemon/agent/carried"
	"github.com/contiv/contiv/daemon/agent/checkpoint"
	"github.com/contiv/contiv/daemon/agent/claim"
	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/agent/distrust"
	"github.com/contiv/contiv/daemon/agent/drift"
	"github.com/contiv/contiv/daemon/agent/examine"
	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/daemon/agent/names"
	"github.com/contiv/contiv/daemon/agent/observe"
	"github.com/contiv/contiv/daemon/agent/responder"
	"github.com/contiv/contiv/daemon/agent/tracker"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// BridgeName is the one integration bridge of a host.
const BridgeName = "contiv0"

// defaultTenant is the tenant that routers outside see.
const defaultTenant = "default"

// defaultMTU holds until the interface that carries the tunnel address is known.
const defaultMTU = 1500

// masterAbsence is for how long an agent that starts waits for netmasters until it goes on with what was told before.
const masterAbsence = 3 * time.Second

// masterPatience is for how long a request to the master is repeated while the cluster elects a leader.
const masterPatience = 10 * time.Second

// Node is a running agent. It is a task.
type Node struct {
	Config
	started time.Time
	forward Forwarder
	flows   *pipeline.Pipeline

	db        *ovsdb.Client
	sw        *ovsdb.Switch
	links     *link.Host
	desired   *desired.Engine
	attach    *attach.Engine
	access    *hostaccess.Engine
	drift     *drift.Keeper
	examiner  *examine.Examiner
	outlook   *outlook
	tracker   *tracker.Keeper
	observer  *observe.Observer // nil: connections are not observed
	answers   *responder.Responder
	told      *channel.Client
	carried   *carried.Keeper
	records   *checkpoint.Source // what is told, and what was
	distrust  *distrust.Keeper
	claim     *claim.Claim
	zone      *names.Zone
	resolver  *names.Responder   // nil: names are not served
	questions *packetin.Receiver // of DNS
	router    *bgp.Router
	tasks     *task.Group
	doors     []task.Task // by which requests come in
	engine    engine

	preparing sync.Mutex // one preparation of the switch at a time

	mtu      atomic.Int64                            // of the interface that carries the tunnel address
	trunkMTU atomic.Int64                            // the least of the uplinks; 0: there are none
	trunk    atomic.Pointer[trunk]                   // as last seen, never nil
	prepared chan struct{}                           // closed when the switch has been prepared for the first time
	named    atomic.Pointer[map[string][]netip.Addr] // addresses of the machines that netmasters name; never nil
	seat     atomic.Pointer[claim.Seat]
	seated   chan struct{} // closed when no other agent works with the switch
	problem  atomic.Pointer[string]
	ready    chan struct{}
}

// ManagementSocket is where a bridge's OpenFlow is spoken.
func ManagementSocket(rundir string) string { return filepath.Join(rundir, BridgeName+".mgmt") }

// LedgerFile is where an agent notes kernel settings before it changes them, so that an uninstall restores them.
func LedgerFile(rundir string) link.Ledger {
	return link.Ledger(filepath.Join(rundir, BridgeName+".settings"))
}

// LimitsFile is where an agent notes the limits of the connection tracker before it sets them.
func LimitsFile(rundir string) tracker.Ledger {
	return tracker.Ledger(filepath.Join(rundir, BridgeName+".limits"))
}

// New puts the parts together; forward does what p says.
func New(c Config, forward Forwarder, p *pipeline.Pipeline) (*Node, error) {
	links, err := link.Open(c.Namespace)
	if err != nil {
		return nil, err
	}
	links.KeepLedger(LedgerFile(c.OVSRunDir))
	if c.SweepEvery == 0 {
		c.SweepEvery = 30 * time.Second
	}
	n := &Node{Config: c, started: time.Now(), forward: forward, flows: p, links: links,
		seated: make(chan struct{}), prepared: make(chan struct{}), ready: make(chan struct{})}
	if n.Machine == "" {
		n.Machine = claim.Machine("", n.Host)
	}
	n.engine = newEngine(&c.Docker)
	n.mtu.Store(defaultMTU)
	n.measureTrunk()
	n.trunk.Store(&trunk{})
	n.named.Store(&map[string][]netip.Addr{})
	n.db = ovsdb.NewClient(filepath.Join(c.OVSRunDir, "db.sock"), c.Log)
	n.sw = ovsdb.NewSwitch(n.db, BridgeName)
	asks := n.connect()
	if n.Master == nil {
		n.Master = asks
	}
	self := ofnet.Host{Label: c.Host, VTEP: c.VTEP}
	self.Node4, self.Node6 = n.nodeAddresses()
	fixed := ofnet.Ports{Tunnel: portTunnel, Host: portHost}
	if len(c.Uplinks) > 0 {
		fixed.Uplink = uplinkPort(0)
		for i := range c.Uplinks[1:] {
			fixed.Backup = append(fixed.Backup, uplinkPort(i+1))
		}
		nic, err := links.Interface(c.Uplinks[0])
		if err != nil {
			links.Close()
			return nil, fmt.Errorf("uplink (check --vlan-uplinks): %w", err)
		}
		copy(self.UplinkMAC[:], nic.MAC)
	}
	n.claim = claim.New(claim.Options{Master: n.Master, Log: c.Log, Host: record.Host{Label: c.Host, Machine: n.Machine, VTEP: c.VTEP, Port: c.VXLANPort,
		Control: n.controlAddress(), UplinkMAC: record.MAC(self.UplinkMAC), Node4: self.Node4, Node6: self.Node6, Version: c.Version.Version}})
	n.zone = names.NewZone(c.DNS.Domain, c.DNS.Cluster)
	n.router = bgp.NewRouter(bgp.Options{Host: c.Host, Tenant: defaultTenant, Mode: func() string { return string(n.desired.Global().FwdMode) },
		External: func() []netip.Addr { return n.desired.External(defaultTenant) },
		Update:   forward.Update, Link: outside{n}, Memory: filepath.Join(c.OVSRunDir, BridgeName+".routes"), Log: c.Log})
	if !c.DNS.Off {
		n.resolver = names.NewResponder(names.Options{Host: c.Host, Zone: n.zone, Forward: names.NewForwarder(c.DNS.Servers, resolvConf),
			View: forward.View, Log: c.Log})
		n.questions = names.NewReceiver(n.resolver, ManagementSocket(c.OVSRunDir))
	}
	n.desired = desired.New(desired.Options{Source: n.distrust, Bridge: forward, Self: self, Fixed: fixed, Hear: []desired.Listener{n.zone, n.router}, Restore: n.router.Restore,
		Closed: func() *ofnet.Closed { return n.access.Shut() }, ForeignServices: c.ForeignServices, Log: c.Log})
	n.attach = attach.New(attach.Options{Host: c.Host, Machine: n.Machine, Standing: n.claim.Standing, Master: n.Master, Flows: n.desired, Switch: n.sw, Links: links,
		SoftSum: func() bool { return n.sw.DatapathType() == "netdev" },
		Room:    n.room, Default: n.desired.DefaultGateway, Tunnels: func() bool { return n.desired.Routing() || n.desired.Direct() }, Vital: n.vital, Log: c.Log})
	n.answers = responder.New(responder.Options{Host: c.Host, Socket: ManagementSocket(c.OVSRunDir), Router: n.desired.Router, View: forward.View, Log: c.Log})
	n.access = hostaccess.New(hostaccess.Options{Host: c.Host, Master: n.Master, Flows: n.desired, Switch: n.sw, Links: links,
		Room: n.room, Closed: n.closed(), Nodes: n.desired.Hosts,
		Uplinks: c.Uplinks, Moved: links.Moved, Log: c.Log})
	var leave []string
	if c.Observe {
		leave = []string{drift.KindPort}
	}
	n.drift = drift.New(drift.Options{Sources: n.owned(), Leave: leave, Changed: n.db.Changed, Kernel: links.Changed, Log: c.Log})
	n.outlook = newOutlook(n)
	if c.Connections {
		n.observer = n.newObserver()
	}
	n.tracker = tracker.New(tracker.Config{Datapath: n.sw.DatapathType, Control: n.control, View: n.forward.View, Proc: "/proc", Ledger: LimitsFile(c.OVSRunDir), Now: time.Now, Log: c.Log})
	n.examiner = examine.New(examine.Options{Host: c.Host, Checks: n.checks(), Now: time.Now})
	n.tasks = task.NewGroup(c.Log, n.parts()...)
	return n, nil
}

// String names the agent for logs.
func (n *Node) String() string { return "agent " + n.Host }

// Ready is closed when the agent serves for the first time.
func (n *Node) Ready() <-chan struct{} { return n.ready }

// Attach is the agent's engine for interfaces, for further doors.
func (n *Node) Attach() *attach.Engine { return n.attach }

// Run works until ctx ends. Forwarding stays as it is when it returns. Run may be called once.
func (n *Node) Run(ctx context.Context) error {
	defer n.links.Close()
	err := n.tasks.Run(ctx)
	if seat := n.seat.Load(); seat != nil {
		seat.Leave()
	}
	return err
}

// controlAddress is where the agent's REST interface is, the zero AddrPort when it serves none.
func (n *Node) controlAddress() (at netip.AddrPort) {
	if n.InspectPort != 0 && n.CtrlIP.IsValid() {
		at = netip.AddrPortFrom(n.CtrlIP, uint16(n.InspectPort))
	}
	return at
}

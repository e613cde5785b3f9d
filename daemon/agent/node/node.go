// SPDX-License-Identifier: Apache-2.0

// Package node puts the parts of an agent together: it prepares the switch of its host, keeps it equal to what
// netmasters send, serves containers, and reports its state.
package node

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"time"

	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/agent/bgp"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/daemon/agent/compare"
	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/agent/dns"
	"github.com/contiv/contiv/daemon/agent/dockerhost"
	"github.com/contiv/contiv/daemon/agent/drift"
	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/daemon/agent/icmp"
	"github.com/contiv/contiv/daemon/agent/inspect"
	"github.com/contiv/contiv/daemon/agent/membership"
	"github.com/contiv/contiv/daemon/agent/observe"
	"github.com/contiv/contiv/daemon/agent/part"
	"github.com/contiv/contiv/daemon/agent/registration"
	"github.com/contiv/contiv/daemon/agent/underlay"
	"github.com/contiv/contiv/daemon/agent/vswitch"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/daemon/usage"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// defaultTenant is the tenant that routers outside see.
const defaultTenant = "default"

// Master is what an agent asks a netmaster for.
type Master interface {
	attach.Master
	registration.Master
	dockerhost.Master
}

// Forwarder is *bridge.Reconciler.
type Forwarder interface {
	desired.Bridge
	inspect.Forwarder
	vswitch.Forwarder
	compare.Forwarder
	Run(ctx context.Context) error
	Revision() uint64
}

// Node is a running agent. It is a task.
type Node struct {
	Settings
	Env
	started time.Time
	forward Forwarder
	flows   *pipeline.Pipeline
	links   *link.Host

	conn      *vswitch.Connection
	records   *desired.Engine
	member    *membership.Membership
	engine    *dockerhost.Engine
	size      *underlay.Size
	attach    *attach.Engine
	access    *hostaccess.Engine
	answers   *icmp.Responder
	names     *hostaccess.Names
	zone      *dns.Zone
	resolver  *dns.Responder     // nil: names are not served
	questions *packetin.Receiver // of DNS; nil: names are not served
	router    *bgp.Router
	observer  *observe.Observer // nil: connections are not observed
	trunk     *vswitch.Trunk
	instance  *vswitch.Instance
	preparer  *vswitch.Preparer
	comparer  *compare.Comparer
	drift     *drift.Controller
	examiner  *check.Examiner
	usage     *usage.Watch
	bounds    *inspect.Bounds // of the inspection

	doors []task.Task // by which requests come in
	tasks *task.Group
	ready chan struct{}
}

// New puts the parts together; forward does what p says.
func New(e Env, s Settings, forward Forwarder, p *pipeline.Pipeline) (*Node, error) {
	links, err := link.Open(e.Namespace)
	if err != nil {
		return nil, err
	}
	ledger := vswitch.LedgerFile(s.Switch.RunDir)
	links.KeepLedger(ledger)
	if _, err := ledger.Settings(); err != nil {
		e.Log.Warn("kernel settings cannot all be restored when Contiv leaves this host", "error", err)
	}
	if e.SweepInterval == 0 {
		e.SweepInterval = 30 * time.Second
	}
	n := &Node{Settings: s, Env: e, started: time.Now(), forward: forward, flows: p, links: links, ready: make(chan struct{}), bounds: inspect.NewBounds(s.Inspection)}
	self, err := n.self()
	if err == nil {
		n.build(self)
		err = n.assemble()
	}
	if err != nil {
		links.Close()
		return nil, err
	}
	return n, nil
}

// Limit changes the limits of the inspection.
func (n *Node) Limit(l inspect.Limits) { n.bounds.Apply(l) }

// self returns this host, as its switch has it.
func (n *Node) self() (self ofnet.Host, err error) {
	self = ofnet.Host{Label: n.Host, VTEP: n.Addresses.VTEP}
	self.Node4, self.Node6 = n.Addresses.Nodes(n.links, n.Log)
	if len(n.Uplinks.NICs) > 0 {
		nic, err := n.links.Interface(n.Uplinks.NICs[0])
		if err != nil {
			return self, fmt.Errorf("uplink (check --vlan-uplinks): %w", err)
		}
		copy(self.UplinkMAC[:], nic.MAC)
	}
	return self, nil
}

// build makes what the parts consist of, each of what stands above it.
func (n *Node) build(self ofnet.Host) {
	rundir, socket := n.Switch.RunDir, vswitch.Socket(n.Switch.RunDir)
	n.conn = vswitch.NewConnection(rundir, n.forward, n.links, n.Log)
	n.engine = dockerhost.New(n.Docker.Driver(n.Env.Mode))
	n.size = underlay.NewSize(n.links, n.Addresses.VTEP, n.Uplinks.NICs)
	n.records = desired.New(desired.Options{Bridge: n.forward, Self: self, Fixed: vswitch.FixedPorts(&n.Uplinks), ForeignServices: n.Services.Off(), Log: n.Log})
	n.member = membership.New(membership.Options{Self: n.host(&self), Trust: n.Trust, ClusterFile: n.ClusterFile, Records: vswitch.File(rundir, ".records"),
		Netmasters: membership.Netmasters{Scheme: membership.Scheme(n.Trust), Sent: n.records.Masters, Find: n.Find},
		Version:    n.Version, Directory: n.engine.Directory, Claims: n.Master, Log: n.Log})
	if n.Master == nil {
		n.Master = n.member.Master
	}
	n.attach = attach.New(attach.Options{Host: n.Host, Machine: n.Machine, Registration: n.member.Registration.State, Master: n.Master, Flows: n.records, Switch: n.conn.Switch, Links: n.links,
		SoftSum: n.conn.Userspace, Room: n.size.Room, Default: n.records.DefaultGateway, Tunnels: n.tunnels, Vital: n.conn.WhileAnswering, Traces: n.Traces, Log: n.Log})
	n.names = hostaccess.NewNames(n.records)
	n.access = hostaccess.New(hostaccess.Options{Host: n.Host, Master: n.Master, Flows: n.records, Switch: n.conn.Switch, Links: n.links,
		Room: n.size.Room, Closed: n.closed(), Nodes: n.records.Hosts, Uplinks: n.Uplinks.NICs, Moved: n.links.Moved, Log: n.Log})
	n.answers = icmp.New(icmp.Options{Host: n.Host, Socket: socket, Router: n.records.Router, View: n.forward.View, Log: n.Log})
	n.zone = dns.NewZone(n.DNS.Domain, n.DNS.Cluster, n.records.Names)
	if !n.DNS.Off {
		n.resolver = dns.NewResponder(dns.Options{Host: n.Host, Zone: n.zone, Forward: dns.NewForwarder(n.DNS.Servers, resolvConf), View: n.forward.View, Log: n.Log})
		n.questions = dns.NewReceiver(n.resolver, socket)
	}
	n.router = bgp.NewRouter(bgp.Options{Host: n.Host, Tenant: defaultTenant, Mode: n.fwdMode, Records: n.records, Update: n.forward.Update,
		Link:   &bgp.Outside{Host: n.Host, Bridge: vswitch.Bridge, Uplinks: n.Uplinks.NICs, Switch: n.conn.Switch, Links: n.links},
		Memory: vswitch.File(rundir, ".routes"), Log: n.Log})
	if !n.Connections.Off() {
		n.observer = observe.New(observe.Options{Host: n.Host, Socket: socket, Pipeline: n.flows, View: n.forward.View, Revision: n.forward.Revision,
			Called: n.containerName, Rule: inspect.Called, Datapath: n.conn.Switch.DatapathType, Control: n.conn.Control, Now: time.Now, Log: n.Log})
	}
	n.comparer = compare.New(compare.Options{Host: n.Host, Bridge: vswitch.Bridge, Pipeline: n.flows, Forward: n.forward, Control: n.conn.Control, Now: time.Now, Log: n.Log})
	n.trunk = vswitch.NewTrunk(vswitch.TrunkOptions{UplinkSettings: n.Uplinks, Ports: n.conn.Switch, Changed: n.conn.DB.Changed, Control: n.conn.Control, Traffic: n.links.Traffic,
		Use: n.records.SetUplinks, Log: n.Log})
	n.instance = vswitch.NewInstance(rundir, n.member.Recall, n.Log)
	n.preparer = vswitch.NewPreparer(vswitch.PreparerOptions{Settings: n.Switch, Host: n.Host, VTEP: n.Addresses.VTEP, Uplinks: n.trunk, Conn: n.conn, Links: n.links,
		Tables: n.flows.Tables(), Records: n.records, Attach: n.attach, Held: n.member.Registration.Held(), Log: n.Log})
	n.usage = usage.NewWatch(usage.Descriptors, usage.Process(os.DirFS("/")), usage.Disks(usage.ReadSpace, n.disks()...), n.preparer.Used(n.forward.Summary))
}

// disks returns the directories that the agent, and the database of Open vSwitch, write to.
func (n *Node) disks() []usage.Disk {
	return []usage.Disk{{Dir: n.Switch.RunDir, Holds: usage.HoldsRecords, Need: usage.LogNeed}, {Dir: usage.LogDir(), Holds: usage.HoldsLog, Need: usage.LogNeed},
		{Dir: vswitch.DatabaseDir(os.DirFS("/")), Holds: usage.HoldsSwitch, Need: usage.LogNeed}}
}

// host returns this host, as netmasters are to admit it.
func (n *Node) host(self *ofnet.Host) record.Host {
	return record.Host{Label: n.Host, Machine: n.Machine, VTEP: self.VTEP, Port: n.Switch.VXLANPort, Control: n.controlAddress(),
		UplinkMAC: record.MAC(self.UplinkMAC), Node4: self.Node4, Node6: self.Node6, Version: n.Version.Version}
}

// controlAddress returns where the agent's REST interface is, the zero AddrPort when it serves none.
func (n *Node) controlAddress() (at netip.AddrPort) {
	if n.InspectPort != 0 && n.Addresses.Control.IsValid() {
		at = netip.AddrPortFrom(n.Addresses.Control, uint16(n.InspectPort))
	}
	return at
}

// assemble makes the list of tasks, checks and owned things of all parts.
func (n *Node) assemble() error {
	stages := &part.Stages{Prepared: n.preparer.Prepared(), Synced: n.records.Ready(), Serving: n.ready}
	all, err := n.parts(stages)
	if err != nil {
		return err
	}
	var leave []string
	if n.Observe {
		leave = []string{drift.KindPort}
	}
	n.drift = drift.New(drift.Options{Sources: all.Owned, Leave: leave, Changed: n.conn.DB.Changed, Kernel: n.links.Changed, Log: n.Log})
	n.examiner = check.New(check.Options{Host: n.Host, Checks: append(all.Checks, n.integrity()), Now: time.Now})
	all.Tasks = append(all.Tasks, stages.AfterSync("drift", n.drift.Run), stages.AfterSync("checks of the host", n.examiner.Run))
	n.doors = append(all.Doors, n.inspectors()...)
	n.tasks = task.NewGroup(n.Log, append(all.Tasks, n.doors...)...)
	return nil
}

// String names the agent for logs.
func (n *Node) String() string { return "agent " + n.Host }

// Ready is closed when the agent serves for the first time.
func (n *Node) Ready() <-chan struct{} { return n.ready }

// Attach returns the agent's engine for interfaces.
func (n *Node) Attach() *attach.Engine { return n.attach }

// Run works until ctx ends. Forwarding stays as it is when it returns. Run may be called once.
func (n *Node) Run(ctx context.Context) error {
	defer n.links.Close()
	err := n.tasks.Run(ctx)
	n.instance.Leave()
	return err
}

// Package node puts the parts of an agent together: it prepares the switch of its host, keeps it equal to what the
// store says, serves containers, and shows what it does.
package node

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/agent/bgp"
	"github.com/contiv/contiv/daemon/agent/cniserver"
	"github.com/contiv/contiv/daemon/agent/drift"
	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/daemon/agent/inspect"
	"github.com/contiv/contiv/daemon/agent/names"
	"github.com/contiv/contiv/daemon/agent/responder"
	"github.com/contiv/contiv/daemon/agent/sync"
	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/ofnet/trap"
)

// BridgeName is the one integration bridge of a host.
const BridgeName = "contiv0"

// defaultTenant is the tenant that routers outside see.
const defaultTenant = "default"

// defaultMTU holds until the interface that carries the tunnel address is known.
const defaultMTU = 1500

// masterPatience is for how long a request to the master is repeated while the cluster elects a leader.
const masterPatience = 10 * time.Second

// Config says who the agent is and where its parts are.
type Config struct {
	Host        string     // label
	CtrlIP      netip.Addr // registered for inspection
	VTEP        netip.Addr // tunnel address
	Uplinks     []string   // NICs that carry VLANs
	UplinkBond  string     // how several of them are used together: BondBackup ("" too) or BondLACP
	VXLANPort   int        // UDP
	Datapath    string     // "auto", "netdev", "system"
	OVSRunDir   string     // holds db.sock and the bridge's .mgmt socket
	Namespace   string     // path of the network namespace of Open vSwitch; "" is the agent's own
	FwdMode     string     // as the operator expects it; the cluster's own setting counts
	CNISocket   string     // "" serves no CNI
	Observe     bool       // forward leaves what others change in the switch as it is
	InspectPort int        // at CtrlIP and 127.0.0.1; 0 serves nothing
	DNS         DNS
	Store       store.Store
	Master      attach.Master    // nil: the registered netmasters
	Pods        cniserver.Labels // nil: labels of pods are not read
	Version     model.Version
	SweepEvery  time.Duration // 0: 30 s
	Log         *slog.Logger
}

// DNS says how the names of containers are served.
type DNS struct {
	Off     bool     // name servers are asked without the agent
	Domain  string   // under which names exist as well as alone
	Servers []string // asked for all other names, "ADDRESS" or "ADDRESS:PORT"; empty: the host's, of resolvConf
}

// resolvConf names the host's name servers (resolv.conf(5)).
const resolvConf = "/etc/resolv.conf"

// Forwarder is *bridge.Reconciler.
type Forwarder interface {
	sync.Bridge
	inspect.Forwarder
	Run(ctx context.Context) error
	Connected() bool
}

// Node is a running agent. It is a task.
type Node struct {
	Config
	started time.Time
	forward Forwarder
	flows   *pipeline.Pipeline

	db       *ovsdb.Client
	sw       *ovsdb.Switch
	links    *link.Host
	sync     *sync.Engine
	attach   *attach.Engine
	access   *hostaccess.Engine
	drift    *drift.Keeper
	answers  *responder.Responder
	members  *cluster.Members
	registry *cluster.Registry
	zone     *names.Zone
	resolver *names.Responder // nil: names are not served
	trap     *trap.Trap
	router   *bgp.Router
	tasks    *task.Group
	doors    []task.Task // by which requests come in

	mtu      atomic.Int64
	trunk    atomic.Pointer[trunk] // as last seen, never nil
	prepared chan struct{}         // closed when the switch has been prepared for the first time
	problem  atomic.Pointer[string]
	ready    chan struct{}
}

// ManagementSocket is where a bridge's OpenFlow is spoken.
func ManagementSocket(rundir string) string { return filepath.Join(rundir, BridgeName+".mgmt") }

// New puts the parts together; forward does what p says.
func New(c Config, forward Forwarder, p *pipeline.Pipeline) (*Node, error) {
	links, err := link.Open(c.Namespace)
	if err != nil {
		return nil, err
	}
	if c.SweepEvery == 0 {
		c.SweepEvery = 30 * time.Second
	}
	n := &Node{Config: c, started: time.Now(), forward: forward, flows: p, links: links,
		prepared: make(chan struct{}), ready: make(chan struct{})}
	n.mtu.Store(defaultMTU)
	n.trunk.Store(&trunk{})
	n.db = ovsdb.NewClient(filepath.Join(c.OVSRunDir, "db.sock"), c.Log)
	n.sw = ovsdb.NewSwitch(n.db, BridgeName)
	n.members = cluster.NewMembers(c.Store, c.Log)
	if n.Master == nil {
		n.Master = &client.Client{Masters: n.masters, Patience: masterPatience, Actor: c.Host, Program: "netplugin/" + c.Version.Version}
	}
	self := ofnet.Host{Label: c.Host, VTEP: c.VTEP}
	fixed := ofnet.Ports{Tunnel: portTunnel, Host: portHost}
	service := record.Service{ServiceName: record.ServiceAgentVTEP, HostAddr: c.VTEP.String(), Port: c.VXLANPort,
		Hostname: c.Host, Version: c.Version.Version}
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
		service.UplinkMAC = nic.MAC.String()
	}
	n.registry = cluster.NewRegistry(c.Store, 0, c.Log, service, record.Service{ServiceName: record.ServiceAgent,
		HostAddr: c.CtrlIP.String(), Port: c.InspectPort, Hostname: c.Host, Version: c.Version.Version})
	n.zone = names.NewZone(c.DNS.Domain)
	n.router = bgp.NewRouter(bgp.Options{Host: c.Host, Tenant: defaultTenant, Mode: func() string { return n.sync.Global().FwdMode },
		Update: forward.Update, Link: outside{n}, Memory: filepath.Join(c.OVSRunDir, BridgeName+".routes"), Log: c.Log})
	if !c.DNS.Off {
		n.resolver = names.NewResponder(names.Options{Host: c.Host, Zone: n.zone, Forward: names.NewForwarder(c.DNS.Servers, resolvConf),
			View: forward.View, Log: c.Log})
		n.trap = names.NewTrap(n.resolver, ManagementSocket(c.OVSRunDir))
	}
	n.sync = sync.New(sync.Options{Store: c.Store, Bridge: forward, Self: self, Fixed: fixed, Hear: []sync.Listener{n.zone, n.router}, Restore: n.router.Restore, Log: c.Log})
	n.attach = attach.New(attach.Options{Host: c.Host, Master: n.Master, Flows: n.sync, Switch: n.sw, Links: links,
		SoftSum: func() bool { return n.sw.DatapathType() == "netdev" },
		MTU:     func() int { return int(n.mtu.Load()) }, Overhead: link.VXLANOverhead(c.VTEP), Default: n.sync.DefaultGateway, Routing: n.sync.Routing, Log: c.Log})
	n.answers = responder.New(responder.Options{Host: c.Host, Socket: ManagementSocket(c.OVSRunDir), Router: n.sync.Router, Log: c.Log})
	n.access = hostaccess.New(hostaccess.Options{Host: c.Host, Master: n.Master, Flows: n.sync, Switch: n.sw, Links: links,
		MTU: func() int { return int(n.mtu.Load()) }, Overhead: link.VXLANOverhead(c.VTEP), Log: c.Log})
	var leave []string
	if c.Observe {
		leave = []string{drift.SortPort}
	}
	n.drift = drift.New(drift.Options{Sources: []drift.Source{&drift.Ports{Host: c.Host, Switch: n.sw}, n.attach.LostPorts(), n.access}, Leave: leave,
		Changed: n.db.Changed, Log: c.Log})
	n.tasks = task.NewGroup(c.Log, n.parts()...)
	return n, nil
}

// parts are the agent's tasks. Those that need the switch wait for it themselves.
func (n *Node) parts() []task.Task {
	parts := []task.Task{
		n.db, n.members, n.registry,
		task.Func("interface reaper", func(ctx context.Context, ready func()) error {
			ready()
			return n.links.Reap(ctx, n.Log)
		}),
		task.Func("preparation of the switch", n.prepare),
		task.Func("MTU of the underlay", func(ctx context.Context, ready func()) error {
			ready()
			return n.links.FollowMTU(ctx, n.VTEP, func(mtu int) { n.newMTU(ctx, mtu) })
		}),
		n.afterPreparation("neighbours of the tunnel", func(ctx context.Context) error {
			tick := time.NewTicker(greetEvery)
			defer tick.Stop()
			look := time.NewTicker(lookEvery)
			defer look.Stop()
			hosts := &neighbours{services: n.members, self: n.VTEP, greet: n.links.Greet,
				connections: func() uint64 { return n.forward.Counters().Connections }, log: n.Log}
			return hosts.run(ctx, tick.C, look.C)
		}),
		n.afterPreparation("flow reconciler", n.forward.Run),
		n.afterPreparation("store watch", n.sync.Run),
		task.Func("sweep", func(ctx context.Context, ready func()) error {
			ready()
			select {
			case <-n.sync.Ready():
				n.adjustMTU(ctx) // it may have changed while no agent ran
				return n.attach.Run(ctx, n.SweepEvery)
			case <-ctx.Done():
				return nil
			}
		}),
		n.afterPreparation("messages to senders", n.answers.Run),
		n.afterPreparation("host access", func(ctx context.Context) error {
			select {
			case <-n.sync.Ready():
				return n.access.Run(ctx)
			case <-ctx.Done():
				return nil
			}
		}),
		n.afterSync("drift", n.drift.Run),
		task.Func("readiness", n.watchReadiness),
	}
	parts = append(parts, n.afterSync("BGP", n.router.Run))
	if n.trap != nil {
		parts = append(parts, n.afterSync("names", n.trap.Run), n.afterSync("names over TCP", func(ctx context.Context) error {
			return n.resolver.Serve(ctx, n.links.Listen)
		}))
	}
	if len(n.Uplinks) > 0 {
		parts = append(parts, n.afterPreparation("announcements", func(ctx context.Context) error {
			return n.answers.Announce(ctx, n.sync.Changed, n.forward.View)
		}))
	}
	if len(n.Uplinks) > 1 {
		parts = append(parts, n.afterPreparation("uplinks", n.followUplinks))
	}
	if n.CNISocket != "" {
		n.doors = append(n.doors, cniserver.New(cniserver.Options{Socket: n.CNISocket, Attacher: n.attach, Pods: n.Pods,
			Starting: n.starting, Waiting: n.Waiting, Log: n.Log}))
	}
	if n.InspectPort != 0 {
		n.doors = append(n.doors, inspect.NewServer(n.inspectAddresses(), inspect.Handler(n.inspection()), n.Log))
	}
	return append(parts, n.doors...)
}

func (n *Node) afterPreparation(name string, run func(context.Context) error) task.Task {
	return task.Func(name, func(ctx context.Context, ready func()) error {
		select {
		case <-n.prepared:
			ready()
			return run(ctx)
		case <-ctx.Done():
			return nil
		}
	})
}

// afterSync is afterPreparation for what needs to know all records.
func (n *Node) afterSync(name string, run func(context.Context) error) task.Task {
	return n.afterPreparation(name, func(ctx context.Context) error {
		select {
		case <-n.sync.Ready():
			return run(ctx)
		case <-ctx.Done():
			return nil
		}
	})
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
	return n.tasks.Run(ctx)
}

// masters are the URLs of the registered netmasters, the leader first.
func (n *Node) masters(context.Context) []string {
	var out []string
	for _, s := range n.members.List(record.ServiceMaster) {
		url := "http://" + net.JoinHostPort(s.HostAddr, strconv.Itoa(s.Port))
		if s.Role == string(model.RoleLeader) {
			out = slices.Insert(out, 0, url)
		} else {
			out = append(out, url)
		}
	}
	return out
}

func (n *Node) newMTU(ctx context.Context, mtu int) {
	if old := n.mtu.Swap(int64(mtu)); old == int64(mtu) {
		return
	}
	n.Log.Info("MTU of the underlay", "vtep", n.VTEP, "mtu", mtu)
	n.adjustMTU(ctx)
}

func (n *Node) adjustMTU(ctx context.Context) {
	if err := n.attach.AdjustMTU(ctx); err != nil {
		n.Log.Warn("MTU of containers", "error", err)
	}
}

// starting names what the agent lacks to do anything for a container.
func (n *Node) starting() []string {
	var out []string
	select {
	case <-n.prepared:
	default:
		what := "Open vSwitch at " + n.OVSRunDir
		if p := n.problem.Load(); p != nil {
			what += " (" + *p + ")"
		}
		return append(out, what)
	}
	select {
	case <-n.sync.Ready():
	default:
		return append(out, "store "+n.Store.String())
	}
	if n.sync.Global().FwdMode == "" {
		out = append(out, "global configuration in the store (it is written by netmaster)")
	}
	return out
}

// Waiting names what the agent waits for, empty when it serves.
func (n *Node) Waiting() []string {
	out := n.starting()
	if !n.db.Connected() {
		out = append(out, "ovsdb-server at "+n.OVSRunDir)
	}
	if !n.forward.Connected() {
		out = append(out, "ovs-vswitchd at "+ManagementSocket(n.OVSRunDir))
	}
	if prefixes := n.sync.Interrupted(); len(prefixes) > 0 {
		out = append(out, "store "+n.Store.String()+" (watch of "+strings.Join(prefixes, ", ")+")")
	}
	if _, own := n.Master.(*client.Client); own && len(n.masters(context.Background())) == 0 {
		out = append(out, "a netmaster")
	}
	for _, door := range n.doors {
		select {
		case <-door.Ready():
		default:
			out = append(out, door.String())
		}
	}
	return slices.Compact(out)
}

// watchReadiness logs when what the agent waits for changes.
func (n *Node) watchReadiness(ctx context.Context, ready func()) error {
	ready() // the group is ready when its parts run; the node is when nothing is waited for
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	last, once := "", false
	for {
		if w := strings.Join(n.Waiting(), "; "); w == "" && !once {
			close(n.ready)
			once, last = true, w
			n.Log.Info("ready", "host", n.Host, "after", time.Since(n.started).Round(time.Millisecond))
			if mode := n.sync.Global().FwdMode; n.FwdMode != "" && mode != n.FwdMode {
				n.Log.Warn("the cluster's forwarding mode differs from --fwdmode; the cluster's counts", "cluster", mode, "flag", n.FwdMode)
			}
		} else if w != last {
			last = w
			if w == "" {
				n.Log.Info("ready again")
			} else {
				n.Log.Warn("waiting", "for", w)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

package node

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/agent/claim"
	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/agent/docker"
	"github.com/contiv/contiv/daemon/agent/dockerd"
	"github.com/contiv/contiv/daemon/agent/inspect"
	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/trust"
)

// Config says who the agent is and where its parts are.
type Config struct {
	Host        string     // label
	Machine     string     // identity of the machine, as claim.Machine; "": what it says of itself
	CtrlIP      netip.Addr // registered for inspection
	VTEP        netip.Addr // tunnel address
	Node4       netip.Addr // the machine's own address, by which containers meet it; invalid, as Node6: those of the control address's interface
	Node6       netip.Addr
	Uplinks     []string      // NICs that carry VLANs
	UplinkBond  string        // how several of them are used together: BondBackup ("" too) or BondLACP
	VXLANPort   int           // UDP
	Datapath    string        // "auto", "netdev", "system"
	OVSRunDir   string        // holds db.sock and the bridge's .mgmt socket
	Namespace   string        // path of the network namespace of Open vSwitch; "" is the agent's own
	Mode        string        // who runs containers, as model.AgentStatus has it; what Docker.Sought finds counts before it
	FwdMode     string        // as the operator expects it; the cluster's own setting counts
	CNISocket   string        // "" serves no CNI
	CNIPatience time.Duration // how long what is asked there waits for what the agent lacks
	MesosSocket string        // of CNI for Mesos; "" serves none
	Runtime     RuntimeConf
	Observe     bool // forward leaves what others change in the switch as it is
	Connections bool // what opens, closes and is refused is observed
	InspectPort int  // at CtrlIP, and at 127.0.0.1 for reading; 0 serves nothing, at the socket beside CNI's neither
	Limits      inspect.Limits
	Trust       *trust.Holder // proves the agent to netmasters, and these to the agent; nil: plain HTTP
	DNS         DNS
	// ForeignServices leaves the services of Kubernetes to another proxy.
	ForeignServices bool
	Docker          Docker
	HostPorts       []link.Ports   // of the host, that containers may reach
	Protected       []netip.Prefix // that they may not reach by way of the host
	Shut            []link.Ports   // of the host, that they may not reach where they meet hosts
	// Find looks for netmasters while none of those is reached of which netmasters have told: it returns their URLs. It may block until ctx ends.
	Find   func(ctx context.Context) []string
	Master Master // nil: the netmasters
	// ClusterFile is where the host notes which store its cluster has; "": only what netmasters sent before says it.
	ClusterFile incarnation.File
	Version     model.Version
	SweepEvery  time.Duration // 0: 30 s
	Settled     func()        // called once, when the switch has all that was known at the start; nil: nothing is
	Log         *slog.Logger
	Recent      func() []byte // the last lines of the log; nil: they are not kept
}

// Master is what an agent asks a netmaster for.
type Master interface {
	attach.Master
	claim.Master
	docker.Master
	dockerd.Master
	dockerd.NamingMaster
}

// DNS says how the names of containers are served.
type DNS struct {
	Off     bool     // name servers are asked without the agent
	Domain  string   // under which names exist as well as alone
	Cluster string   // domain of the names of Kubernetes; "": they are none of the agent's
	Servers []string // asked for all other names, "ADDRESS" or "ADDRESS:PORT"; empty: the host's, of resolvConf
}

// Docker says how the host's engine finds its network driver, and which engine the agent asks.
type Docker struct {
	Plugin string // unix socket of the driver; "": there is none, and no engine is asked
	Driver string // its name
	Global bool   // networks are of a whole swarm
	Engine string // unix socket of the engine
	Keep   bool   // the engine's networks are kept equal to the cluster's
	Sought bool   // all this counts from when the host has the engine's socket
}

// RuntimeConf says where the host's container runtime looks for CNI plugins; see packages runtimeconf and cnicache.
type RuntimeConf struct {
	Program string // the plugin to be installed
	Bin     string // folder of plugins; "": somebody else installs it
	Conf    string // folder of configurations; "": somebody else writes one
	Stays   bool   // the configuration stays when the agent ends
	Cache   string // folder of the CNI library's cache; "": what is half written there is left to others
}

// resolvConf names the host's name servers (resolv.conf(5)).
const resolvConf = "/etc/resolv.conf"

// Forwarder is *bridge.Reconciler.
type Forwarder interface {
	desired.Bridge
	inspect.Forwarder
	Run(ctx context.Context) error
	Connected() bool
	Whole() bool
	Revision() uint64
	Unanswered() time.Duration
}

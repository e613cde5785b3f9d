package model

// NodeRole is what a process of the cluster does.
type NodeRole string

// The roles.
const (
	RoleLeader   NodeRole = "leader"
	RoleFollower NodeRole = "follower"
	RoleAgent    NodeRole = "agent"
	RoleUnknown  NodeRole = "unknown" // of a netmaster that did not answer: whether it leads is not known
)

// Node is one netmaster or netplugin as the cluster sees it: GET /api/v1/nodes.
type Node struct {
	Name     string   `json:"name"`    // host label of an agent, address of a master
	Address  string   `json:"address"` // "ip:port" of its REST interface
	Role     NodeRole `json:"role"`
	Version  string   `json:"version,omitempty"`
	Ready    bool     `json:"ready"`
	Down     bool     `json:"down,omitempty"`     // an agent that does not run: it programs what it has missed when it starts
	Reason   string   `json:"reason,omitempty"`   // why it is not ready, or why it did not answer
	Revision uint64   `json:"revision,omitempty"` // of an agent: past the switch's barrier; of a master: what it knows of the store
	Lag      uint64   `json:"lag"`                // store revisions that concern it and that it has not carried out
	Flows    int      `json:"flows,omitempty"`
	Ports    int      `json:"endpoints,omitempty"` // endpoints attached here
	Missing  int      `json:"missing,omitempty"`   // endpoints of the host that have no interface there: not yet, or not any more
	Differs  int      `json:"differs,omitempty"`   // things on the host that others have changed and that are not put right: netctl drift
	Errors   int      `json:"errors,omitempty"`    // objects that do not work there: the switch refused their flows, or a container's interface is gone
	VTEP     string   `json:"vtep,omitempty"`
	Since    string   `json:"since,omitempty"`      // RFC 3339: start of the process, or of the leadership
	FlowMods uint64   `json:"flowMods,omitempty"`   // of an agent: changes of flows sent to the switch since the process started
	Term     uint64   `json:"term,omitempty"`       // of a master: the newest term of a leader that it knows of
	Leader   string   `json:"leader,omitempty"`     // of a master: address of who leads in that term; absent once that has ended
	Requests uint64   `json:"requests,omitempty"`   // of a master, as all that follows: requests answered since the process started
	Wrote    uint64   `json:"wrote,omitempty"`      // of the leader: revision of its last fenced write
	Writes   uint64   `json:"writes,omitempty"`     // fenced transactions committed since the process started
	Stale    uint64   `json:"stale,omitempty"`      // transactions that the store refused because this master did not lead any more
	Uplinks  []Uplink `json:"uplinks,omitempty"`    // of an agent: its VLAN trunk
	Bond     string   `json:"uplinkBond,omitempty"` // how several uplinks are used together: "active-backup" or "lacp"
	// Kubernetes is how a master stands with Kubernetes: absent of one that was not told how to reach it, of agents, and where it did not answer.
	Kubernetes *KubernetesStatus `json:"kubernetes,omitempty"`
	Watchers   int               `json:"watchers,omitempty"` // who follow its memory: watch streams and tasks of its own
	// Snapshots are those of the store that a master saves; absent where it saves none.
	Snapshots *SnapshotStatus `json:"snapshots,omitempty"`
	// Descriptors are those of a master's process: absent of agents, and where they are not known.
	Descriptors *Descriptors `json:"descriptors,omitempty"`

	// Docker is what an agent knows of its host's Docker engine: absent where it does not ask one, and of an agent that did not answer.
	Docker *DockerStatus `json:"docker,omitempty"`
	Mode   string        `json:"mode,omitempty"` // of an agent: who runs the containers of its host, as AgentStatus.Mode

	Authorities []string `json:"authorities,omitempty"` // fingerprints of those that it trusts; of a netmaster with a member of the store, that this was started with
	Authority   string   `json:"authority,omitempty"`   // fingerprint of the one that has certified it

	MTU      int       `json:"mtu,omitempty"`      // of an agent: of the interface that has the tunnel address
	Findings []Finding `json:"findings,omitempty"` // of an agent: what its checks of the host have found, the worst first
	// Differed are the parts of the store of which an agent held something else within the last minute, or still does.
	Differed []Differed `json:"differed,omitempty"`
}

// Differed is a part of the store of which an agent held something else than its netmaster, which sent it again as a whole.
type Differed struct {
	Shard string `json:"shard"`           // "tenant/blue", "cluster", ...
	Times int    `json:"times"`           // that it was sent again
	Last  string `json:"last"`            // RFC 3339: when the agent said so last
	Still bool   `json:"still,omitempty"` // it has not said since that it holds the same
}

// Answered reports whether the node was reached: one that was not has nothing but its name, its place and the reason.
func (n *Node) Answered() bool { return n.Since != "" }

// AgentStatus is what an agent says of itself: GET http://AGENT:9090/status.
type AgentStatus struct {
	Host        string        `json:"host"`
	Version     string        `json:"version"`
	Since       string        `json:"since"`
	Ready       bool          `json:"ready"`
	Waiting     []string      `json:"waiting,omitempty"` // what it waits for while it is not ready
	Datapath    string        `json:"datapath"`          // "netdev" or "system"
	VTEP        string        `json:"vtep"`
	MTU         int           `json:"mtu,omitempty"`        // of the interface that has the tunnel address, as last seen
	Master      string        `json:"master,omitempty"`     // URL of the netmaster that tells it what there is; absent while none does
	Seen        uint64        `json:"seen"`                 // revision up to which it has been told all that concerns it
	Revision    uint64        `json:"revision"`             // last store revision past the switch's barrier
	At          string        `json:"revisionAt,omitempty"` // RFC 3339: when it had passed, by the host's clock
	Flows       int           `json:"flows"`
	Groups      int           `json:"groups"`
	Endpoints   int           `json:"endpoints"`         // attached here
	FlowMods    uint64        `json:"flowMods"`          // changes of flows, groups and meters sent since the process started
	Differs     int           `json:"differs,omitempty"` // ports and addresses that others have changed, and that were not put right
	Errors      []OwnerStatus `json:"errors,omitempty"`  // objects that do not work: refused flows, and what the agent cannot repair
	Uplinks     []Uplink      `json:"uplinks,omitempty"`
	Bond        string        `json:"uplinkBond,omitempty"`  // how several are used together: "active-backup" or "lacp"
	Docker      *DockerStatus `json:"docker,omitempty"`      // absent where the agent does not ask a Docker engine
	Mode        string        `json:"mode,omitempty"`        // who runs containers here, as it is configured or has found: "cni", "docker", "kubernetes" or "swarm-mode"
	Authorities []string      `json:"authorities,omitempty"` // fingerprints of those that it trusts
	Authority   string        `json:"authority,omitempty"`   // fingerprint of the one that has certified it
	Findings    []Finding     `json:"findings,omitempty"`    // of the checks that the agent makes on its host, the worst first; at most 100 and how many more
}

// Uplink is a NIC of a host's VLAN trunk.
type Uplink struct {
	Name    string `json:"name"`
	Link    bool   `json:"link"`              // it has a link
	Active  bool   `json:"active"`            // it is in use
	LACP    string `json:"lacp,omitempty"`    // where LACP is spoken: "current", "expired" or "defaulted" (silent), with "detached" when it is not of the aggregate
	Partner string `json:"partner,omitempty"` // MAC by which the switch beyond names itself, as last heard; absent when it was taken for silent
	Port    uint32 `json:"port"`              // OpenFlow number, as in flows
	Traffic
}

// Traffic is what an interface of a host has carried since it came up, as its kernel counts.
type Traffic struct {
	RxPackets uint64 `json:"rxPackets"`
	RxBytes   uint64 `json:"rxBytes"`
	TxPackets uint64 `json:"txPackets"`
	TxBytes   uint64 `json:"txBytes"`
}

// Problem is what keeps the uplink from being used, as "no link" or what LACP says of it, "" when nothing does.
func (u Uplink) Problem() string {
	switch {
	case !u.Link:
		return "no link"
	case u.LACP != "" && u.LACP != "current":
		return u.LACP
	}
	return ""
}

// String is "eth1" of an uplink in use, with a remark of one that is not or has trouble: "eth2 (reserve)", "eth2 (no link)".
func (u Uplink) String() string {
	switch trouble := u.Problem(); {
	case trouble != "":
		return u.Name + " (" + trouble + ")"
	case !u.Active:
		return u.Name + " (reserve)"
	}
	return u.Name
}

// ForgetRequest says that the machine of a host is gone for good: POST /api/v1/nodes/forget.
type ForgetRequest struct {
	Host    string `json:"host"`    // label
	Release bool   `json:"release"` // delete the endpoints that it has left
}

// Forgotten is what a ForgetRequest has done.
type Forgotten struct {
	Host      string   `json:"host"`
	Machine   string   `json:"machine,omitempty"` // that was the host; absent when none claimed it
	Freed     []string `json:"freed"`             // what another machine may claim now, as "host/h1" or "vtep/192.0.2.1"
	Endpoints []string `json:"endpoints"`         // ids of the endpoints that are left on the host
	Released  int      `json:"released"`          // endpoints that were deleted, and their addresses given back
	Revoked   int      `json:"revoked,omitempty"` // certificates of the host's agent that counted until then
}

// OwnerStatus tells how one object's flows fare on one host.
type OwnerStatus struct {
	Owner    string `json:"owner"` // "kind/name"
	Phase    string `json:"phase"` // "pending", "done", "error"
	Revision uint64 `json:"revision"`
	Flows    int    `json:"flows"`
	Error    string `json:"error,omitempty"`
}

// RuleStatus tells how one direction of a rule fares for one group on one host, as GET /inspect/rules of an agent shows
// it. Packets and bytes are those that the rule decided about: the first of a connection, and of the rest only what came
// when rules had changed. Of rules that ask the same, one counts for all.
type RuleStatus struct {
	Rule      string `json:"rule"`      // "tenant:policy:rule"
	Record    string `json:"record"`    // "tenant:group:policy:rule"
	Group     string `json:"group"`     // "group:tenant"
	Direction string `json:"direction"` // "in", "out", or "both" of one that closes both
	Action    string `json:"action"`    // "allow" or "deny"
	Phase     string `json:"phase"`     // "pending", "done", "error", "closed": all is denied, as the record cannot be read
	Error     string `json:"error,omitempty"`
	Packets   uint64 `json:"packets"`
	Bytes     uint64 `json:"bytes"`
}

// ServiceStatus tells what one backend behind one port of a service got from the clients of one host, as GET
// /inspect/services of an agent shows it. A port without backends has one line without a backend.
type ServiceStatus struct {
	Service     string `json:"service"`           // "tenant:service"
	Address     string `json:"address"`           // of the service
	Port        string `json:"port"`              // protocol and port, such as "tcp/80"
	Target      uint16 `json:"target"`            // port of the backend
	Backend     string `json:"backend,omitempty"` // its address
	Phase       string `json:"phase"`             // "pending", "done", "error"
	Error       string `json:"error,omitempty"`
	Connections uint64 `json:"connections"` // that were led to it
	PacketsIn   uint64 `json:"packetsIn"`   // from clients to it
	BytesIn     uint64 `json:"bytesIn"`
	PacketsOut  uint64 `json:"packetsOut"` // its answers
	BytesOut    uint64 `json:"bytesOut"`
}

// WaitsFor begins the Reason of a node that waits for something.
const WaitsFor = "waits for "

// SPDX-License-Identifier: Apache-2.0

package model

import "strings"

// NodeRole is the role of a process of the cluster.
type NodeRole string

// The roles.
const (
	RoleLeader   NodeRole = "leader"
	RoleFollower NodeRole = "follower"
	RoleAgent    NodeRole = "agent"
	RoleUnknown  NodeRole = "unknown" // of a netmaster without an answer: it may lead
)

// Node is one netmaster or netplugin as the cluster sees it: GET /api/v1/nodes.
type Node struct {
	Name     string   `json:"name"`    // host label of an agent, address of a master
	Address  string   `json:"address"` // "ip:port" of its REST interface
	Role     NodeRole `json:"role"`
	Version  string   `json:"version,omitempty"`
	Protocol string   `json:"protocol,omitempty"` // versions of the protocol between agents and netmasters that it speaks, such as "1-2"; absent: 1, or unknown
	Records  string   `json:"records,omitempty"`  // of a netmaster: formats of the store's records that it knows; absent: 1, or unknown
	Ready    bool     `json:"ready"`
	Down     bool     `json:"down,omitempty"`     // an agent that does not run: it applies missed changes when it starts
	Reason   string   `json:"reason,omitempty"`   // why it is not ready, or did not answer
	Revision uint64   `json:"revision,omitempty"` // of an agent: past the switch's barrier; of a master: its state of the store
	Lag      uint64   `json:"lag"`                // store revisions that concern it and that it has not applied
	Flows    int      `json:"flows,omitempty"`
	Ports    int      `json:"endpoints,omitempty"` // endpoints attached here
	Missing  int      `json:"missing,omitempty"`   // endpoints of the host without an interface there: not yet, or no longer
	Differs  int      `json:"differs,omitempty"`   // unrepaired changes by others on the host: netctl drift
	Errors   int      `json:"errors,omitempty"`    // objects that do not work there: the switch refused their flows, or a container's interface is missing
	Named    int      `json:"named,omitempty"`     // of Errors, those about objects that a finding of the agent is about
	VTEP     string   `json:"vtep,omitempty"`
	Since    string   `json:"since,omitempty"`      // RFC 3339: start of the process, or of the leadership
	FlowMods uint64   `json:"flowMods,omitempty"`   // of an agent: changes of flows sent to the switch since the process started
	Term     uint64   `json:"term,omitempty"`       // of a master: the newest known term
	Leader   string   `json:"leader,omitempty"`     // of a master: address of the leader of that term; absent once it has ended
	Requests uint64   `json:"requests,omitempty"`   // of a master, as all that follow: requests answered since the process started
	Wrote    uint64   `json:"wrote,omitempty"`      // of the leader: revision of its last fenced write
	Writes   uint64   `json:"writes,omitempty"`     // fenced transactions committed since the process started
	Stale    uint64   `json:"stale,omitempty"`      // transactions that the store refused because this master no longer led
	Uplinks  []Uplink `json:"uplinks,omitempty"`    // of an agent: its VLAN trunk
	Bond     string   `json:"uplinkBond,omitempty"` // how several uplinks are used together: "active-backup" or "lacp"
	// Kubernetes is a master's status of Kubernetes: absent if Kubernetes is not configured, for agents, and without an answer.
	Kubernetes *KubernetesStatus `json:"kubernetes,omitempty"`
	Watchers   int               `json:"watchers,omitempty"` // watchers of its memory: watch streams and its own tasks
	// Snapshots are a master's snapshots of the store; absent if it saves none.
	Snapshots *SnapshotStatus `json:"snapshots,omitempty"`
	// Descriptors are those of a master's process: absent for agents, and if unknown.
	Descriptors *Descriptors `json:"descriptors,omitempty"`
	// Resources are what a master, or its machine, can run out of, as last measured: absent for agents, and of a master of an earlier build.
	Resources []Resource `json:"resources,omitempty"`
	// Certificate is a master's: absent for agents, without certificates, and of a master of an earlier build.
	Certificate *Validity `json:"certificate,omitempty"`

	AgentReport
	MTU      int       `json:"mtu,omitempty"`      // of an agent: of the interface that has the tunnel address
	Findings []Finding `json:"findings,omitempty"` // of an agent: results of its checks of the host, the worst first
	// Differed are the shards of which an agent held something else within the last minute, or still does.
	Differed []Differed `json:"differed,omitempty"`
}

// Differed is a shard of which an agent held something else than its netmaster, which sent the whole shard again.
type Differed struct {
	Shard string `json:"shard"`           // "tenant/blue", "cluster", ...
	Times int    `json:"times"`           // number of times that it was sent again
	Last  string `json:"last"`            // RFC 3339: time of the agent's last report of it
	Still bool   `json:"still,omitempty"` // it has not reported equal content since
}

// Validity is the time in which a certificate is valid, RFC 3339.
type Validity struct {
	From  string `json:"from"`
	Until string `json:"until"`
}

// ifAnswered returns a value that only the node itself reports, or "?" if it was not reached.
func (n *Node) ifAnswered(v any) any {
	if !n.Answered() {
		return "?"
	}
	return v
}

// ifAgent returns a value that only an agent reports, or "-" if the node is a netmaster.
func (n *Node) ifAgent(v any) any {
	if n.Role != RoleAgent {
		return "-"
	}
	return n.ifAnswered(v)
}

// attached returns the number of endpoints on the host, which netmaster knows of a host that is not registered.
func (n *Node) attached() any {
	if n.Ports > 0 {
		return n.Ports
	}
	return n.ifAgent(0)
}

// trunk describes the uplinks of the host.
func (n *Node) trunk() any {
	var out []string
	for _, u := range n.Uplinks {
		out = append(out, u.String())
	}
	return strings.Join(out, ", ")
}

// dockerText describes the Docker engine of an agent's host: "-" if the agent has none.
func (n *Node) dockerText() any {
	switch {
	case n.Role == RoleAgent && !n.Answered():
		return "?"
	case n.Docker == nil:
		return "-"
	case n.Docker.Here && n.Docker.Problem() != "":
		return n.Docker.String() + ": " + n.Docker.Problem()
	}
	return n.Docker.String()
}

// kubernetesText describes a netmaster's connection to Kubernetes: "-" for agents, and for netmasters without one.
func (n *Node) kubernetesText() any {
	switch {
	case n.Role != RoleAgent && !n.Answered():
		return "?"
	case n.Kubernetes == nil:
		return "-"
	}
	return n.Kubernetes.String()
}

// Answered reports whether the node was reached: otherwise only its name, its address and the reason are set.
func (n *Node) Answered() bool { return n.Since != "" }

// AgentStatus is an agent's own status: GET http://AGENT:9090/status.
type AgentStatus struct {
	Host      string   `json:"host"`
	Version   string   `json:"version"`
	Protocol  string   `json:"protocol,omitempty"` // as in Node
	Since     string   `json:"since"`
	Ready     bool     `json:"ready"`
	Waiting   []string `json:"waiting,omitempty"` // what it waits for until it is ready
	Datapath  string   `json:"datapath"`          // "netdev" or "system"
	VTEP      string   `json:"vtep"`
	MTU       int      `json:"mtu,omitempty"`        // of the interface that has the tunnel address, as last seen
	Master    string   `json:"master,omitempty"`     // URL of the netmaster that it follows; absent if there is none
	Seen      uint64   `json:"seen"`                 // revision up to which it has received everything that concerns it
	Revision  uint64   `json:"revision"`             // last store revision past the switch's barrier
	At        string   `json:"revisionAt,omitempty"` // RFC 3339: time of passing, by the host's clock
	Flows     int      `json:"flows"`
	Groups    int      `json:"groups"`
	Endpoints int      `json:"endpoints"` // attached here
	// Portless is the number of endpoints that its records have on this host and that have no interface there; nil: an earlier version.
	Portless *int          `json:"portless,omitempty"`
	FlowMods uint64        `json:"flowMods"`          // changes of flows, groups and meters sent since the process started
	Differs  int           `json:"differs,omitempty"` // unrepaired changes of ports and addresses by others
	Errors   []OwnerStatus `json:"errors,omitempty"`  // objects that do not work: refused flows, and damage that the agent cannot repair
	Uplinks  []Uplink      `json:"uplinks,omitempty"`
	Bond     string        `json:"uplinkBond,omitempty"` // how several are used together: "active-backup" or "lacp"
	AgentReport
	Findings []Finding `json:"findings,omitempty"` // of the agent's checks of its host, the worst first; at most 100 and the number of others
}

// Uplink is a NIC of a host's VLAN trunk.
type Uplink struct {
	Name    string `json:"name"`
	Link    bool   `json:"link"`              // it has a link
	Active  bool   `json:"active"`            // it is in use
	LACP    string `json:"lacp,omitempty"`    // with LACP: "current", "expired" or "defaulted" (silent), with "detached" if it is not part of the aggregate
	Partner string `json:"partner,omitempty"` // the LACP partner's MAC, as last received; absent if it counts as silent
	Port    uint32 `json:"port"`              // OpenFlow number, as in flows
	Traffic
}

// Traffic is the traffic of a host's interface since it came up, as counted by its kernel.
type Traffic struct {
	RxPackets uint64 `json:"rxPackets"`
	RxBytes   uint64 `json:"rxBytes"`
	TxPackets uint64 `json:"txPackets"`
	TxBytes   uint64 `json:"txBytes"`
}

// Problem returns the reason why the uplink is not used, such as "no link" or its LACP state; "" if it is used.
func (u Uplink) Problem() string {
	switch {
	case !u.Link:
		return "no link"
	case u.LACP != "" && u.LACP != "current":
		return u.LACP
	}
	return ""
}

// String returns "eth1" for an uplink in use, with a remark for one that is not or has problems: "eth2 (reserve)", "eth2 (no
// link)".
func (u Uplink) String() string {
	switch problem := u.Problem(); {
	case problem != "":
		return u.Name + " (" + problem + ")"
	case !u.Active:
		return u.Name + " (reserve)"
	}
	return u.Name
}

// ForgetRequest removes a host whose machine is gone for good: POST /api/v1/nodes/forget.
type ForgetRequest struct {
	Host    string `json:"host"`    // label
	Release bool   `json:"release"` // delete its remaining endpoints
}

// Forgotten is the result of a ForgetRequest.
type Forgotten struct {
	Host      string   `json:"host"`
	Machine   string   `json:"machine,omitempty"` // of the host; absent if no machine was registered
	Freed     []string `json:"freed"`             // names and addresses that another machine may use now, as "host/h1" or "vtep/192.0.2.1"
	Endpoints []string `json:"endpoints"`         // ids of the remaining endpoints of the host
	Released  int      `json:"released"`          // number of deleted endpoints, whose addresses were released
	Revoked   int      `json:"revoked,omitempty"` // number of revoked certificates of the host's agent
}

// OwnerStatus is the state of one object's flows on one host.
type OwnerStatus struct {
	Owner    string `json:"owner"` // "kind/name"
	Phase    string `json:"phase"` // "pending", "done", "error"
	Revision uint64 `json:"revision"`
	Flows    int    `json:"flows"`
	Error    string `json:"error,omitempty"`
}

// RuleStatus is the state of one direction of a rule for one group on one host, as GET /inspect/rules of an agent returns it. Packets and
// bytes are those that the rule decided about: the first of a connection, and later ones only if rules had changed. If rules match the same
// packets, one counts for all.
type RuleStatus struct {
	Rule      string `json:"rule"`      // "tenant:policy:rule"
	Record    string `json:"record"`    // "tenant:group:policy:rule"
	Group     string `json:"group"`     // "group:tenant"
	Direction string `json:"direction"` // "in", "out", or "both" of one that closes both
	Action    string `json:"action"`    // "allow" or "deny"
	Phase     string `json:"phase"`     // "pending", "done", "error", "closed": all is denied, since the record is invalid
	Error     string `json:"error,omitempty"`
	Packets   uint64 `json:"packets"`
	Bytes     uint64 `json:"bytes"`
}

// ServiceStatus is the traffic of one backend behind one port of a service from the clients of one host, as GET /inspect/services of an
// agent returns it. A port without backends has one line without a backend.
type ServiceStatus struct {
	Service     string `json:"service"`           // "tenant:service"
	Address     string `json:"address"`           // of the service
	Port        string `json:"port"`              // protocol and port, such as "tcp/80"
	Target      uint16 `json:"target"`            // port of the backend
	Backend     string `json:"backend,omitempty"` // its address
	Phase       string `json:"phase"`             // "pending", "done", "error"
	Error       string `json:"error,omitempty"`
	Connections uint64 `json:"connections"` // directed to it
	PacketsIn   uint64 `json:"packetsIn"`   // from clients to it
	BytesIn     uint64 `json:"bytesIn"`
	PacketsOut  uint64 `json:"packetsOut"` // its answers
	BytesOut    uint64 `json:"bytesOut"`
}

// CertificateRefused is the start of the Reason of a node that does not answer because it, or a netmaster, does not accept the certificate of the
// other. The cause follows.
const CertificateRefused = "a certificate is refused: "

// WaitsFor is the start of the Reason of a node that waits for something.
const WaitsFor = "waits for "

// NodesOf returns the nodes with names or addresses, in the order of these; an error names the first that none has.
func NodesOf(nodes []Node, names ...string) (out []Node, _ error) {
	for _, name := range names {
		found := false
		for _, n := range nodes {
			if n.Name == name || n.Address == name {
				out, found = append(out, n), true
			}
		}
		if !found {
			all := make([]string, len(nodes))
			for i := range nodes {
				all[i] = nodes[i].Name
			}
			refusal := Errorf(CodeNotFound, "name", "node %q not found", name)
			if alike := Alike(name, all); len(alike) > 0 {
				return nil, refusal.Try("did you mean %s? netctl get nodes lists them", strings.Join(alike, " or "))
			}
			return nil, refusal.Try("list them with netctl get nodes")
		}
	}
	return out, nil
}

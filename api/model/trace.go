package model

// TraceRequest asks an agent what its switch would do with a packet: GET /inspect/trace?of=JSON of the agent, and GET
// /api/v1/agents/HOST/trace?of=JSON of netmaster. No packet is sent.
type TraceRequest struct {
	// From is where the packet comes in: "endpoint/ID" of an endpoint of this host, "host/LABEL" for the tunnel from
	// another host, "uplink" for the VLAN trunk, or "router" for a router outside with which the host speaks BGP.
	From    string      `json:"from"`
	Network string      `json:"network,omitempty"` // "network.tenant" that the packet bears the number of, in a tunnel or on the trunk
	Answer  bool        `json:"answer,omitempty"`  // it answers a connection that was admitted; else it opens one
	Packet  TracePacket `json:"packet"`
}

// RouterMAC stands for the distributed router's Ethernet address in TracePacket.DstMAC.
const RouterMAC = "router"

// TracePacket is a packet, as far as tables look at it.
type TracePacket struct {
	SrcMAC   string `json:"srcMAC"`
	DstMAC   string `json:"dstMAC"`
	Src      string `json:"src"`
	Dst      string `json:"dst"`
	Protocol string `json:"protocol"` // "tcp", "udp" or "icmp"
	SrcPort  int    `json:"srcPort,omitempty"`
	DstPort  int    `json:"dstPort,omitempty"`
}

// TraceStep is one flow that a packet meets.
type TraceStep struct {
	Table    string `json:"table"`
	Priority uint16 `json:"priority"`
	Owner    string `json:"owner"`             // "kind/name" of the object that caused the flow, "" when none did
	Feature  string `json:"feature,omitempty"` // the part of the pipeline that made it
	Match    string `json:"match"`             // in words
	Does     string `json:"does"`              // what it does, in words
	Means    string `json:"means,omitempty"`   // where a packet ends because no flow is about it: what that says of the packet
	Foreign  bool   `json:"foreign,omitempty"` // the agent did not put the flow there, or someone has changed it since
	Flow     string `json:"flow,omitempty"`    // of one that is foreign: the flow as ovs-ofctl writes it
}

// TraceExit is one way by which a packet leaves a switch.
type TraceExit struct {
	Port    uint32 `json:"port"`
	To      string `json:"to"`                // "endpoint/ID", "host/LABEL" by tunnel, "uplink", "router/ADDRESS" outside, "host" itself, "agent" that answers it, or "" for an unknown port
	Network string `json:"network,omitempty"` // that the packet bears the number of, in a tunnel or on the trunk
	// Verdict says of "host" and "router" whether the packet goes on from there, as far as the host can tell; Text says it in words that
	// follow the name, as in "which has no route to 192.0.2.1", and Try what to do about it.
	Verdict Verdict `json:"verdict,omitempty"`
	Text    string  `json:"text,omitempty"`
	Try     string  `json:"try,omitempty"`
}

// Trace is what a switch would do with a packet.
type Trace struct {
	Host    string      `json:"host"`
	Steps   []TraceStep `json:"steps"`
	Outputs []TraceExit `json:"exits,omitempty"` // none: the packet is dropped
	After   TracePacket `json:"after"`           // as it leaves
	// Agent says that the agent gets the packet first, as a question for names. Steps and Exits are of one that it cannot
	// answer, and lets go on.
	Agent bool `json:"agent,omitempty"`
}

package model

// TraceRequest asks an agent what its switch would do with a packet: GET /inspect/trace?of=JSON of the agent, and GET
// /api/v1/agents/HOST/trace?of=JSON of netmaster. No packet is sent.
type TraceRequest struct {
	// From is where the packet comes in: "endpoint/ID" of an endpoint of this host, "host/LABEL" for the tunnel from
	// another host, or "uplink" for the VLAN trunk.
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
	Does     string `json:"does"`              // likewise
}

// TraceExit is one way by which a packet leaves a switch.
type TraceExit struct {
	Port    uint32 `json:"port"`
	To      string `json:"to"`                // "endpoint/ID", "host/LABEL" by tunnel, "uplink", "host" itself, "agent" that answers it, or "" for an unknown port
	Network string `json:"network,omitempty"` // that the packet bears the number of, in a tunnel or on the trunk
}

// Trace is what a switch would do with a packet.
type Trace struct {
	Host  string      `json:"host"`
	Steps []TraceStep `json:"steps"`
	Exits []TraceExit `json:"exits,omitempty"` // none: the packet is dropped
	After TracePacket `json:"after"`           // as it leaves
	// Agent says that the agent gets the packet first, as a question for names. Steps and Exits are of one that it cannot
	// answer, and lets go on.
	Agent bool `json:"agent,omitempty"`
}

// SPDX-License-Identifier: Apache-2.0

package model

// TraceRequest asks an agent how its switch would handle a packet: GET /inspect/trace?of=JSON of the agent, and GET
// /api/v1/agents/HOST/trace?of=JSON of netmaster. No packet is sent.
type TraceRequest struct {
	// From is the ingress of the packet: "endpoint/ID" of an endpoint of this host, "host/LABEL" for the tunnel from another host, "uplink"
	// for the VLAN trunk, or "router" for a router outside with which the host speaks BGP.
	From    string      `json:"from"`
	Network string      `json:"network,omitempty"` // "network.tenant" whose number the packet has, in a tunnel or on the trunk
	Answer  bool        `json:"answer,omitempty"`  // it answers a connection that was admitted; otherwise it opens one
	Packet  TracePacket `json:"packet"`
}

// RouterMAC stands for the distributed router's Ethernet address in TracePacket.DstMAC.
const RouterMAC = "router"

// TracePacket has the fields of a packet that tables match.
type TracePacket struct {
	SrcMAC   string `json:"srcMAC"`
	DstMAC   string `json:"dstMAC"`
	Src      string `json:"src"`
	Dst      string `json:"dst"`
	Protocol string `json:"protocol"` // "tcp", "udp" or "icmp"
	SrcPort  int    `json:"srcPort,omitempty"`
	DstPort  int    `json:"dstPort,omitempty"`
}

// TraceStep is one flow that a packet matches.
type TraceStep struct {
	Table    string `json:"table"`
	Priority uint16 `json:"priority"`
	Owner    string `json:"owner"`             // "kind/name" of the object that caused the flow, "" if none did
	Feature  string `json:"feature,omitempty"` // the part of the pipeline that made it
	Match    string `json:"match"`             // in words
	Does     string `json:"does"`              // what it does, in words
	Means    string `json:"means,omitempty"`   // if a packet is dropped because it matches no flow: the reason
	Foreign  bool   `json:"foreign,omitempty"` // the agent did not add the flow, or it was changed since
	Flow     string `json:"flow,omitempty"`    // for a foreign one: the flow as ovs-ofctl writes it
}

// TraceExit is one exit of a packet from a switch.
type TraceExit struct {
	Port    uint32 `json:"port"`
	To      string `json:"to"`                // "endpoint/ID", "host/LABEL" by tunnel, "uplink", "router/ADDRESS" outside, "host" itself, "agent" that answers it, or "" for an unknown port
	Network string `json:"network,omitempty"` // whose number the packet has, in a tunnel or on the trunk
	// Verdict reports for "host" and "router" whether the packet is forwarded from there, as far as the host knows; Text describes it in
	// words that follow the name, as in "which has no route to 192.0.2.1", and Try is the remedy.
	Verdict Verdict `json:"verdict,omitempty"`
	Text    string  `json:"text,omitempty"`
	Try     string  `json:"try,omitempty"`
}

// Trace is how a switch would handle a packet.
type Trace struct {
	Host    string      `json:"host"`
	Steps   []TraceStep `json:"steps"`
	Outputs []TraceExit `json:"exits,omitempty"` // none: the packet is dropped
	After   TracePacket `json:"after"`           // as it leaves
	// Agent means that the agent gets the packet first, as a DNS query. Steps and Exits are those of a query that it cannot answer, and
	// lets continue.
	Agent bool `json:"agent,omitempty"`
}

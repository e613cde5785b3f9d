// SPDX-License-Identifier: Apache-2.0

package pipeline

import "github.com/contiv/contiv/ofnet/flow"

// Bits of reg0: the class of the ingress, one bit each, then flags. The variable flags describes them.
const (
	bitEndpoint = 0
	bitTunnel   = 1
	bitUplink   = 2
	bitHost     = 3
	bitFabric   = 4
	bitRelayed  = 5
	bitRouted   = 8
	bitSkip     = 9
	bitBUM      = 10
	bitLocal    = 11
	bitNoCommit = 12
	bitHairpin  = 13
	bitReply    = 14
	bitOpening  = 15
	bitSeen     = 16
	bitAnswer   = 17
	bitTurned   = 18
	bitAdmitted = 19
	bitBehind   = 20
)

// flagBit is a bit of reg0.
type flagBit struct {
	name, means string
	set, unset  string // description of a packet with the flag, and without it
}

// meaning describes a packet with the flag, or without it.
func (f *flagBit) meaning(set bool) string {
	if set {
		return f.set
	}
	return f.unset
}

// flags are the bits by number.
func flags() map[int]flagBit {
	return map[int]flagBit{
		bitEndpoint: {"endpoint", "came in by a container's port", "from a local endpoint", "not from a local endpoint"},
		bitTunnel:   {"tunnel", "came in by the tunnel", "from the tunnel", "not from the tunnel"},
		bitUplink:   {"uplink", "came in by the uplink", "from the uplink", "not from the uplink"},
		bitHost:     {"host", "came in by the host's port", "from the host", "not from the host"},
		bitFabric:   {"fabric", "by tunnel or uplink: it never leaves by tunnel or uplink again (split horizon)", "from the fabric", "not from the fabric"},
		bitRelayed:  {"relayed", "by the uplink of another host, which has handed it on", "handed on by another host", "not handed on"},
		bitRouted:   {"routed", "it was addressed to the router", "to the router", "not to the router"},
		bitSkip:     {"skip", "judged already: no rules", "judged already", "not judged yet"},
		bitBUM:      {"BUM", "to be replicated", "to be replicated", "not to be replicated"},
		bitLocal:    {"local", "the receiver is on this host", "receiver is here", "receiver is elsewhere"},
		bitNoCommit: {"no commit", "do not remember the connection", "not to be remembered", "to be remembered"},
		bitHairpin:  {"hairpin", "may leave by its in_port", "hairpin", "no hairpin"},
		bitReply:    {"reply", "an answer to an ICMP message: only rules about ICMP judge it", "an answer", "no answer"},
		bitOpening:  {"opening", "opens a connection, or belongs to one that was seen to open", "opens a connection", "does not open a connection"},
		bitSeen:     {"seen", "the agent has seen it and lets it go its way", "seen by the agent", "not seen by the agent"},
		bitAnswer:   {"answer", "answers within a connection that is not TCP: the rules are asked when they have changed", "answers within a connection", "does not answer"},
		bitTurned:   {"turned", "stands for what the connection's opener would send", "stands for its opener", "stands for itself"},
		bitAdmitted: {"admitted", "the rules would let that pass", "let pass by the rules", "not let pass by the rules"},
		bitBehind:   {"behind", "answers for a service: which backend is in registers", "answers for a service", "answers for itself"},
	}
}

// The registers. The variable registers describes them.
const (
	regFlags    = flow.Reg0
	regNetwork  = flow.Reg0 + 1
	regTenant   = flow.Reg0 + 2
	regSrcGroup = flow.Reg0 + 3
	regDstGroup = flow.Reg0 + 4
	regOut      = flow.Reg0 + 5
	regRuleOut  = flow.Reg0 + 6
	regRuleIn   = flow.Reg0 + 7
	regScratch  = flow.Reg0 + 7
	regService  = flow.Reg0 + 8
	regSlot     = flow.Reg0 + 9 // bit 16: of local ones; bit 17: from the uplink
	regPort     = flow.Reg0 + 10
	regSender   = flow.Reg0 + 11
	regBackend  = flow.Reg0 + 12
	regBackend6 = flow.XXReg0 + 3
	regAnswer   = flow.XReg0 + 4
	regScratch6 = flow.XXReg0 + 3
)

// nameKind is the kind of object that numbers identify.
type nameKind int

const (
	noNames nameKind = iota
	networkNames
	tenantNames
	groupNames
	ruleNames // by the number that connections carry
	portNames
	vniNames // networks by VNI
	endNames // hosts by their tunnel ends
	nameKinds
)

// otherwise precedes a number without a name.
func (k nameKind) otherwise() string {
	switch k {
	case portNames:
		return "port "
	case vniNames:
		return "network number "
	case endNames:
		return "tunnel end "
	}
	return "number "
}

// register is a field that holds a property of a packet.
type register struct {
	field flow.Field
	holds string
	asked string   // before the name of a matched value; "": not described
	given string   // before the name of a written value; "": not described
	names nameKind // of the values
}

// registers are all of them in order.
func registers() []register {
	return []register{
		{field: regFlags, holds: "class and flags, below"},
		{regNetwork, "network of the source; after `route`, of the destination", "network ", "network ", networkNames},
		{regTenant, "tenant in bits 0-15, which is also the conntrack zone; zone of hairpins in 16-31 (tenant + 0x8000)", "tenant ", "tenant ", tenantNames},
		{regSrcGroup, "group of the sender; 0: none", "from group ", "sender's group ", groupNames},
		{regDstGroup, "group of the receiver; 0: none", "to group ", "receiver's group ", groupNames},
		{regOut, "output port", "towards ", "way out is ", portNames},
		{regRuleOut, "rule that admitted, or refuses, at the sender", "", "decided by rule ", ruleNames},
		{regRuleIn, "rule that admitted, or refuses, at the receiver; scratch before", "", "decided by rule ", ruleNames},
		{field: regService, holds: "number of a port of a service: from `service` to `backend`"},
		{field: regSlot, holds: "which of its backends: from `service` to `backend`"},
		{field: regPort, holds: "port of the backend that answers: from `state` to `policy_out`"},
		{regSender, "tunnel end of the host that has the sender: from `sender` to `origin`", "sender is on ", "sender is on ", endNames},
		{field: regBackend, holds: "address of the backend that answers; of IPv6 in `xxreg3`"},
		{field: regClasses, holds: "class of the sender in bits 0-29, of the receiver in 32-61; 0: none. Above each: bit 30 isolates what it sends, bit 31 what it receives"},
		{field: regAnswer, holds: "MAC to answer with: only with ARP and ND; shares `reg8` and `reg9`"},
		{field: regScratch6, holds: "`reg12`-`reg15`: scratch for exchanging IPv6 addresses"},
	}
}

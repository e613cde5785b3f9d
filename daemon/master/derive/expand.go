package derive

import (
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// openings restricts a rule about TCP at large to the packets that open connections, so that replies to what the
// other side may do still pass.
const openings = "syn,!ack"

// directionOut is the direction of a rule about outgoing traffic.
const directionOut = "out"

// facts are the records that an expansion reads: a catalog.View, or a commit.Tx that also knows what it is about to write.
type facts interface {
	Global() *record.Global
	Group(id identity.Group) *record.Group
	NetworkRecord(id identity.Network) *record.Network
}

// ByACI tells whether an ACI fabric carries out the rules, so that switches get none.
func ByACI(g *record.Global) bool { return g != nil && g.InfraType == "aci" }

// expand is a rule as switches carry it out for a group that its policy is attached to: the packets that it speaks of
// and, for TCP and UDP with a port, the answers to them. A rule about a group or network that does not exist (any more)
// matches nothing and is no record; numbers are given again, so a stale one would come to mean someone else.
func expand(known facts, g *record.Group, rule *model.Rule) []record.PolicyRule {
	far, ok := peerOf(known, rule)
	if !ok || ByACI(known.Global()) {
		return nil
	}
	number, err := Protocol(rule.Protocol)
	if err != nil {
		return nil // no such rule is let in
	}
	own, port := g.Number, uint16(rule.Port)
	answered := rule.Port != 0 && (rule.Protocol == "tcp" || rule.Protocol == "udp")
	make := func(tag record.PolicyTag) record.PolicyRule {
		id := record.PolicyRuleID(g.ID.Tenant, g.ID.Name, rule.PolicyName, rule.RuleId, tag)
		return record.PolicyRule{ID: id, RuleID: id, Priority: rule.Priority, IPProtocol: number, Action: rule.Action}
	}
	rx, tx := record.InRx, record.InTx
	if rule.Direction == directionOut {
		rx, tx = record.OutRx, record.OutTx
	}
	to, from := make(rx), make(tx)
	to.SrcEndpointGroup, to.DstEndpointGroup, to.SrcIPAddr = far.group, own, far.address
	from.SrcEndpointGroup, from.DstEndpointGroup, from.DstIPAddr = own, far.group, far.address
	to.SrcIPv6Addr, from.DstIPv6Addr = far.address6, far.address6
	first := &to // the packets that the rule speaks of
	if rule.Direction == directionOut {
		first = &from
		to.SrcPort, from.DstPort = port, port
	} else {
		to.DstPort, from.SrcPort = port, port
		to.DstIPAddr, to.DstIPv6Addr = families(rule.ToIpAddress)
		from.SrcIPAddr, from.SrcIPv6Addr = to.DstIPAddr, to.DstIPv6Addr
	}
	if answered {
		return []record.PolicyRule{to, from}
	}
	if rule.Protocol == "tcp" {
		first.TCPFlags = openings
	}
	return []record.PolicyRule{*first}
}

// peer is the other side of a rule.
type peer struct {
	group             int    // 0: any
	address, address6 string // "": any
}

// peerOf finds what a rule names; ok is false when that does not exist.
func peerOf(known facts, rule *model.Rule) (p peer, ok bool) {
	group, network, address := rule.FromEndpointGroup, rule.FromNetwork, rule.FromIpAddress
	if rule.Direction == directionOut {
		group, network, address = rule.ToEndpointGroup, rule.ToNetwork, rule.ToIpAddress
	}
	p.address, p.address6 = families(address)
	if group != "" {
		r := known.Group(identity.Group{Tenant: rule.TenantName, Name: group})
		if r == nil {
			return p, false
		}
		p.group = r.Number
	}
	if network != "" {
		r := known.NetworkRecord(identity.Network{Tenant: rule.TenantName, Name: network})
		if r == nil {
			return p, false
		}
		p.address, p.address6 = r.Declared(), record.Prefix(r.Subnet6)
	}
	return p, true
}

// families puts a rule's address where those of its family go.
func families(address string) (four, six string) {
	if strings.Contains(address, ":") {
		return "", address
	}
	return address, ""
}

// Protocol is the number of a protocol given by name or number, 0 for any. A number above 255 is an error.
func Protocol(text string) (number uint8, err error) {
	switch text {
	case "":
		return 0, nil
	case "icmp":
		return 1, nil
	case "tcp":
		return 6, nil
	case "udp":
		return 17, nil
	}
	n, err := strconv.ParseUint(text, 10, 8)
	return uint8(n), err
}

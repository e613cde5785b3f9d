package admit

import (
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// openings restricts a rule about TCP at large to the packets that open connections, so that replies to what the
// other side may do still pass.
const openings = "syn,!ack"

// place makes the records of one rule for one group what they must be: its directions while the rule is attached to the
// group, nothing otherwise. It writes what differs and nothing else.
func place(tx *commit.Tx, g *record.Group, rule *model.Rule, attached bool) error {
	var wanted []record.PolicyRule
	if attached {
		wanted = expand(tx, g, rule)
	}
	for _, tag := range record.PolicyTags() {
		id := record.PolicyRuleID(g.TenantName, g.GroupName, rule.PolicyName, rule.RuleId, tag)
		have := tx.PolicyRule(id)
		want := recordOf(wanted, id)
		switch {
		case want == nil && have == nil, want != nil && have != nil && *want == *have:
		case want == nil:
			tx.Delete(record.PolicyRules + id)
		default:
			if err := tx.Put(record.PolicyRules+id, want); err != nil {
				return err
			}
		}
	}
	return nil
}

func recordOf(list []record.PolicyRule, id string) *record.PolicyRule {
	for i := range list {
		if list[i].ID == id {
			return &list[i]
		}
	}
	return nil
}

// expand is a rule as switches carry it out for a group that its policy is attached to: the packets that it speaks of
// and, for TCP and UDP with a port, the answers to them. A rule about a group or network that does not exist (any more)
// matches nothing and is no record; numbers are given anew, so a stale one would come to mean somebody else.
func expand(tx *commit.Tx, g *record.Group, rule *model.Rule) []record.PolicyRule {
	far, ok := peerOf(tx, rule)
	if !ok {
		return nil
	}
	number, _ := protocolOf(rule.Protocol)
	own, port := g.EndpointGroupID, uint16(rule.Port)
	answered := rule.Port != 0 && (rule.Protocol == "tcp" || rule.Protocol == "udp")
	make := func(tag record.PolicyTag) record.PolicyRule {
		id := record.PolicyRuleID(g.TenantName, g.GroupName, rule.PolicyName, rule.RuleId, tag)
		return record.PolicyRule{ID: id, RuleID: id, Priority: rule.Priority, IPProtocol: number, Action: rule.Action}
	}
	rx, tx2 := record.InRx, record.InTx
	if rule.Direction == directionOut {
		rx, tx2 = record.OutRx, record.OutTx
	}
	to, from := make(rx), make(tx2)
	to.SrcEndpointGroup, to.DstEndpointGroup, to.SrcIPAddr = far.group, own, far.address
	from.SrcEndpointGroup, from.DstEndpointGroup, from.DstIPAddr = own, far.group, far.address
	to.SrcIPv6Addr, from.DstIPv6Addr = far.address6, far.address6
	first := &to // the packets that the rule speaks of
	if rule.Direction == directionOut {
		first = &from
		to.SrcPort, from.DstPort = port, port
	} else {
		to.DstPort, from.SrcPort = port, port
		to.DstIPAddr, from.SrcIPAddr = rule.ToIpAddress, rule.ToIpAddress
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
func peerOf(tx *commit.Tx, rule *model.Rule) (p peer, ok bool) {
	group, network := rule.FromEndpointGroup, rule.FromNetwork
	p.address = rule.FromIpAddress
	if rule.Direction == directionOut {
		group, network, p.address = rule.ToEndpointGroup, rule.ToNetwork, rule.ToIpAddress
	}
	if group != "" {
		r := tx.Group(group + ":" + rule.TenantName)
		if r == nil {
			return p, false
		}
		p.group = r.EndpointGroupID
	}
	if network != "" {
		r := tx.NetworkRecord(network + "." + rule.TenantName)
		if r == nil {
			return p, false
		}
		p.address, p.address6 = r.Range(), r.Range6()
	}
	return p, true
}

// protocolOf is the number of a protocol, 0 for any.
func protocolOf(text string) (number uint8, err error) {
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

// refresh brings the records of rules up to date that name a group or network which this transaction makes or removes,
// for every group that they are attached to.
func refresh(tx *commit.Tx, names func(*model.Rule) bool) error {
	var rules []*model.Rule
	tx.Range(model.KindRule(), func(o model.Object) {
		if rule := o.(*model.Rule); names(rule) {
			rules = append(rules, rule)
		}
	})
	for _, rule := range rules {
		if err := placeAll(tx, rule, true); err != nil {
			return err
		}
	}
	return nil
}

// placeAll places a rule for every group that its policy is attached to.
func placeAll(tx *commit.Tx, rule *model.Rule, attached bool) error {
	for _, key := range attachedTo(tx, model.Key(rule.TenantName, rule.PolicyName)) {
		g, _ := tx.Object(model.KindEndpointGroup(), key).(*model.EndpointGroup)
		r := tx.Group(groupID(g))
		if r == nil {
			continue // removed by this transaction, with its own records
		}
		if err := place(tx, r, rule, attached); err != nil {
			return err
		}
	}
	return nil
}

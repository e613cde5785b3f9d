package desired

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/ipam"
	"github.com/contiv/contiv/ofnet"
)

// putRule takes over the record of a rule. Of one that cannot be carried out as it is meant, a permission is left out;
// what is, or may be, a denial becomes one of everything in its group's direction: better too little than too much.
func (r *records) putRule(name string, item store.Item) error {
	var v record.PolicyRule
	err := json.Unmarshal(item.Value, &v)
	if err == nil && v.ID != name {
		err = fmt.Errorf("it calls itself %q", v.ID)
	}
	at, whose := ruleIDOf(name)
	if whose != nil {
		return whose
	}
	if at.answers {
		// The tracker knows the answers to what is admitted, and forbids those to what is not.
		r.rules.Delete(name)
		return nil
	}
	var rule *ofnet.Rule
	if err == nil {
		rule, err = ruleOf(at, &v)
	}
	switch {
	case err == nil:
		r.rules.Set(name, rule)
		return nil
	case v.Action == actionAllow:
		r.rules.Delete(name)
		return fmt.Errorf("the permission is left out: %w", err)
	}
	r.rules.Set(name, &ofnet.Rule{ID: name, Tenant: at.tenant, Group: at.group, Direction: at.direction, Priority: ofnet.PriorityClosed, Deny: true})
	return fmt.Errorf("all traffic %s of group %s is denied: %w", at.direction, at.group, err)
}

const (
	actionAllow = "allow"
	actionDeny  = "deny"
)

// openings is the one restriction by TCP flags that masters write.
const openings = "syn,!ack"

// ruleID is what the id of a rule's record says.
type ruleID struct {
	tenant, group string // the group as "group:tenant"
	direction     ofnet.Direction
	answers       bool // it is about the answers to what another record is about
}

// ruleIDOf reads "tenant:group:...:tag".
func ruleIDOf(id string) (out ruleID, err error) {
	parts := strings.Split(id, ":")
	if len(parts) < 3 || parts[0] == "" || parts[1] == "" {
		return out, fmt.Errorf("id %q does not begin with a tenant and a group", id)
	}
	out = ruleID{tenant: parts[0], group: parts[1] + ":" + parts[0]}
	switch tag := record.PolicyTag(parts[len(parts)-1]); tag {
	case record.InRx, record.InTx:
		out.direction, out.answers = ofnet.In, tag == record.InTx
	case record.OutTx, record.OutRx:
		out.direction, out.answers = ofnet.Out, tag == record.OutRx
	default:
		return out, fmt.Errorf("id %q ends with none of %v", id, record.PolicyTags())
	}
	return out, nil
}

// ruleOf makes a rule of its record.
func ruleOf(at ruleID, v *record.PolicyRule) (*ofnet.Rule, error) {
	out := &ofnet.Rule{ID: v.ID, Tenant: at.tenant, Group: at.group, Direction: at.direction, Priority: uint8(v.Priority),
		Protocol: v.IPProtocol, Deny: v.Action == actionDeny}
	peer, own, peers, owns, port := v.SrcEndpointGroup, v.DstEndpointGroup, [2]string{v.SrcIPAddr, v.SrcIPv6Addr},
		[2]string{v.DstIPAddr, v.DstIPv6Addr}, v.DstPort
	other := v.SrcPort
	if at.direction == ofnet.Out {
		peer, own, peers, owns = own, peer, owns, peers
	}
	switch {
	case v.Priority < 1 || v.Priority > ofnet.PriorityMost:
		return nil, fmt.Errorf("want a priority within 1..%d, got %d", ofnet.PriorityMost, v.Priority)
	case v.Action != actionAllow && v.Action != actionDeny:
		return nil, fmt.Errorf("want action %s or %s, got %q", actionAllow, actionDeny, v.Action)
	case own <= 0:
		return nil, fmt.Errorf("want the number of group %s, got %d", at.group, own)
	case peer < 0:
		return nil, fmt.Errorf("want a group's number or 0, got %d", peer)
	case other != 0:
		return nil, fmt.Errorf("want no port on the side that connects, got %d", other)
	case port != 0 && out.Protocol != ofnet.ProtocolTCP && out.Protocol != ofnet.ProtocolUDP && out.Protocol != ofnet.ProtocolSCTP:
		return nil, fmt.Errorf("want a port with TCP, UDP and SCTP only, got %d with protocol %d", port, out.Protocol)
	case v.TCPFlags != "" && (v.TCPFlags != openings || out.Protocol != ofnet.ProtocolTCP):
		return nil, fmt.Errorf("want TCP flags %q or none, got %q with protocol %d", openings, v.TCPFlags, out.Protocol)
	}
	out.PeerGroup, out.Openings = uint32(peer), v.TCPFlags != ""
	if port != 0 {
		out.Ports = []ofnet.PortRange{{First: port, Last: port}}
	}
	var err error
	if out.Peers, err = prefixes(peers[:]...); err != nil {
		return nil, err
	}
	out.Own, err = prefixes(owns[:]...)
	return out, err
}

// prefixes reads addresses as records have them: an address, a subnet, "first-last" with or without a length, where last
// is an address or its last byte, or "" for nothing.
func prefixes(texts ...string) (out []netip.Prefix, err error) {
	for _, text := range texts {
		if text == "" {
			continue
		}
		list, err := prefixesOf(text)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

func prefixesOf(text string) ([]netip.Prefix, error) {
	addrs, _, hasLength := strings.Cut(text, "/")
	first, last, isRange := strings.Cut(addrs, "-")
	if !isRange {
		if hasLength {
			p, err := netip.ParsePrefix(text)
			if err == nil && p.Addr().Is4In6() {
				err = fmt.Errorf("%q is an IPv4 address in the dress of IPv6", text)
			}
			return []netip.Prefix{p.Masked()}, err
		}
		last = first
	}
	if at := strings.LastIndexByte(first, '.'); at >= 0 && !strings.Contains(last, ".") {
		last = first[:at+1] + last
	}
	lo, err := netip.ParseAddr(first)
	if err != nil {
		return nil, err
	}
	hi, err := netip.ParseAddr(last)
	if err != nil {
		return nil, err
	}
	lo, hi = lo.Unmap(), hi.Unmap()
	if lo.BitLen() != hi.BitLen() || hi.Less(lo) || lo.Zone() != "" || hi.Zone() != "" {
		return nil, fmt.Errorf("%q is not a range of addresses from the lowest to the highest", text)
	}
	return ipam.Range{First: lo, Last: hi}.Prefixes(), nil
}

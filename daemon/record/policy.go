package record

import "strings"

// PolicyRule is one direction of one rule for one group that its policy is attached to, at PolicyRules+ID. A rule about
// TCP or UDP with a port has two of them, for the two directions in which its packets travel; any other has one.
//
// Groups are numbers, 0 for any. Addresses are as the rule gives them: an address, a subnet, "a.b.c.d-e[/len]", or ""
// for any; the subnet of a network as it is declared, "first-last/len" for a range. Ports are 0 for any.
type PolicyRule struct {
	ID               string `json:"id"` // the same as RuleID
	RuleID           string `json:"RuleId"`
	Priority         int    `json:"Priority"` // 1..100, the highest counts
	SrcEndpointGroup int    `json:"SrcEndpointGroup"`
	DstEndpointGroup int    `json:"DstEndpointGroup"`
	SrcIPAddr        string `json:"SrcIpAddr"`
	DstIPAddr        string `json:"DstIpAddr"`
	SrcIPv6Addr      string `json:"SrcIpv6Addr,omitempty"` // of a rule about IPv6, or about a network that has both: either matches
	DstIPv6Addr      string `json:"DstIpv6Addr,omitempty"`
	IPProtocol       uint8  `json:"IpProtocol"` // 0 for any
	SrcPort          uint16 `json:"SrcPort"`
	DstPort          uint16 `json:"DstPort"`
	TCPFlags         string `json:"TcpFlags"` // "syn,!ack": only the opening of a connection; "" any packet
	Action           string `json:"Action"`   // "allow" or "deny"
}

// PolicyTag is the last part of a PolicyRule's id: which way its packets travel, and on which side the group is.
type PolicyTag string

// The tags. Rx is to the group, Tx from it; in and out is the direction of the rule.
const (
	InRx  PolicyTag = "inRx"
	InTx  PolicyTag = "inTx"
	OutRx PolicyTag = "outRx"
	OutTx PolicyTag = "outTx"
)

// PolicyTags returns all tags.
func PolicyTags() []PolicyTag { return []PolicyTag{InRx, InTx, OutRx, OutTx} }

// AttachedPolicy says that a group has a policy, at AttachedPolicies+ID. Its rules are the PolicyRules whose ids begin with
// this one's; they are not repeated here, for a value of the store cannot hold the rules of a large policy.
type AttachedPolicy struct {
	ID              string `json:"id"` // "tenant:group:tenant:policy"
	EpgPolicyKey    string `json:"EpgPolicyKey"`
	EndpointGroupID int    `json:"EndpointGroupID"`
}

// AttachedPolicyID is the id of the record of a policy that a group has.
func AttachedPolicyID(tenant, group, policy string) string {
	return tenant + ":" + group + ":" + tenant + ":" + policy
}

// PolicyRuleID is the id of the record of a rule, "tenant:policy:rule", for a group, "tenant:group:tenant:policy:...".
func PolicyRuleID(tenant, group, policy, rule string, tag PolicyTag) string {
	return AttachedPolicyID(tenant, group, policy) + ":" + tenant + ":" + policy + ":" + rule + ":" + string(tag)
}

// GroupOf is the group, "tenant:group", whose rule the id of a PolicyRule names; "" when it is of another form.
func GroupOf(id string) string {
	parts := strings.Split(id, ":")
	if len(parts) != 8 {
		return ""
	}
	return parts[0] + ":" + parts[1]
}

// RuleOf is the rule, "tenant:policy:rule", that the id of a PolicyRule names; the id itself when it is of another
// form.
func RuleOf(id string) string {
	parts := strings.Split(id, ":")
	if len(parts) != 8 {
		return id
	}
	return strings.Join(parts[4:7], ":")
}

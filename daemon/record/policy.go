// SPDX-License-Identifier: Apache-2.0

package record

import (
	"net/netip"

	"github.com/contiv/contiv/identity"
)

// Rule is a rule of a policy, at Rules+ID. It applies to the groups that have an Attachment of the policy. It refers to other
// objects by name only.
type Rule struct {
	ID        identity.Rule `json:"id"`
	Direction string        `json:"direction"` // "in" or "out"
	Priority  int           `json:"priority"`  // 1..100, the highest counts
	Action    string        `json:"action"`    // "allow" or "deny"
	// Group and Network are the group of which the other side must be a member, and the network whose addresses must include it; "" for
	// any. They are of the policy's tenant, and a missing one matches nothing.
	Group   string `json:"group,omitempty"`
	Network string `json:"network,omitempty"`
	// Peers are prefixes, one of which must include the other side's address, Own those for the own one; none for any.
	Peers    []netip.Prefix `json:"peers,omitempty"`
	Own      []netip.Prefix `json:"own,omitempty"`
	Protocol uint8          `json:"protocol,omitempty"` // 0 for any
	Port     uint16         `json:"port,omitempty"`     // of the side that is connected to, with TCP, UDP and SCTP; 0 for any
	// Openings makes a rule about TCP at large match only packets that open connections.
	Openings bool `json:"openings,omitempty"`
}

// Directions and actions of a Rule.
const (
	DirectionIn  = "in"
	DirectionOut = "out"
	ActionAllow  = "allow"
	ActionDeny   = "deny"
)

// Attachment attaches a policy to a group, at Attachments+ID.
type Attachment struct {
	ID identity.Attachment `json:"id"`
}

// The keys at which earlier builds wrote the effect of each rule for each group, and the policies of groups. A leader of this build writes
// Rules and Attachments instead when it starts, and removes these; agents apply them until then.
const (
	LegacyRules       = State + "policyRule/"
	LegacyAttachments = State + "policy/"
)

package record

import (
	"net/netip"

	"github.com/contiv/contiv/identity"
)

// Rule is a rule of a policy, at Rules+ID. It judges the groups that have an Attachment of the policy, and says nothing that
// follows from other objects: of whom it names it has the names.
type Rule struct {
	ID        identity.Rule `json:"id"`
	Direction string        `json:"direction"` // "in" or "out"
	Priority  int           `json:"priority"`  // 1..100, the highest counts
	Action    string        `json:"action"`    // "allow" or "deny"
	// Group and Network are whom the other side must be a member of, and among whose addresses it must be; "" for any. They are of the
	// policy's tenant, and one that does not exist (any more) matches nothing.
	Group   string `json:"group,omitempty"`
	Network string `json:"network,omitempty"`
	// Peers are prefixes of which the other side's address must be in one, Own those for the own one; none for any.
	Peers    []netip.Prefix `json:"peers,omitempty"`
	Own      []netip.Prefix `json:"own,omitempty"`
	Protocol uint8          `json:"protocol,omitempty"` // 0 for any
	Port     uint16         `json:"port,omitempty"`     // of the side that is connected to, with TCP, UDP and SCTP; 0 for any
	// Openings makes a rule about TCP at large speak of the packets that open connections alone.
	Openings bool `json:"openings,omitempty"`
}

// Directions and actions of a Rule.
const (
	DirectionIn  = "in"
	DirectionOut = "out"
	ActionAllow  = "allow"
	ActionDeny   = "deny"
)

// Attachment says that a group has a policy, at Attachments+ID.
type Attachment struct {
	ID identity.Attachment `json:"id"`
}

// Where earlier builds wrote, of each rule for each group, what agents were to do, and which group has which policy. A leader of this build
// writes Rules and Attachments instead as it begins, and removes these; agents carry them out until then.
const (
	LegacyRules       = State + "policyRule/"
	LegacyAttachments = State + "policy/"
)

package record

import (
	"encoding/json"
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/identity"
)

// NetworkPolicy is a policy of Kubernetes (networking.k8s.io/v1), at NetworkPolicies+ID. It isolates the pods that it selects in its
// directions, except for what the rules of any such policy allow.
type NetworkPolicy struct {
	ID      identity.NetworkPolicy `json:"id"`
	Pods    Selector               `json:"pods,omitempty"` // the selected ones, of its namespace
	Ingress PolicyDirection        `json:"ingress,omitzero"`
	Egress  PolicyDirection        `json:"egress,omitzero"`
}

// PolicyDirection is the part of a NetworkPolicy for what its pods receive, or send.
type PolicyDirection struct {
	Isolates bool         `json:"isolates,omitempty"` // only what rules allow; unset, there are no rules
	Rules    []PolicyRule `json:"rules,omitempty"`
	// Unread are reasons why something is not among the rules, each with its field: it allows nothing.
	Unread []string `json:"unread,omitempty"`
}

// PolicyRule allows or, in a cluster's policy, may also deny traffic with any of its peers to any of its ports.
type PolicyRule struct {
	Number int          `json:"number"`          // its place among those of the object in its direction, from 1
	Peers  []PolicyPeer `json:"peers,omitempty"` // none for any
	Ports  []PolicyPort `json:"ports,omitempty"` // of the side that is connected to; none for any, of any protocol
}

// PolicyPeer is the other side: addresses if Block is valid, otherwise pods except hostNetwork ones.
type PolicyPeer struct {
	Block      netip.Prefix   `json:"block,omitzero"`
	Except     []netip.Prefix `json:"except,omitempty"`     // of Block
	Own        bool           `json:"own,omitempty"`        // pods of the policy's own namespace; Namespaces is empty
	Namespaces Selector       `json:"namespaces,omitempty"` // whose pods, unless Own
	Pods       Selector       `json:"pods,omitempty"`       // which of these
}

// PolicyPort is a range of ports of a protocol, by numbers or by the name that pods have for one of theirs.
type PolicyPort struct {
	Protocol uint8  `json:"protocol,omitempty"` // IP's number of TCP, UDP or SCTP; 0 with a Name for any of them
	First    uint16 `json:"first,omitempty"`    // 0, as is Last: all ports, or that of the Name
	Last     uint16 `json:"last,omitempty"`     // the same as First for one port
	Name     string `json:"name,omitempty"`
}

// UnmarshalJSON decodes the stored form.
func (p *PolicyPeer) UnmarshalJSON(text []byte) error {
	type plain PolicyPeer
	var t plain
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	if t.Block.IsValid() {
		if err := canonicalPrefix("block", t.Block); err != nil {
			return err
		}
	}
	if err := canonicalPrefix("except", t.Except...); err != nil {
		return err
	}
	*p = PolicyPeer(t)
	return nil
}

// UnmarshalJSON decodes the stored form.
func (p *PolicyPort) UnmarshalJSON(text []byte) error {
	type plain PolicyPort
	var t plain
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	if t.First > t.Last || t.First == 0 && t.Last != 0 {
		return fmt.Errorf("ports %d to %d are no range", t.First, t.Last)
	}
	*p = PolicyPort(t)
	return nil
}

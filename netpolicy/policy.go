// SPDX-License-Identifier: Apache-2.0

package netpolicy

import (
	"encoding/json"
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/identity"
)

// Policy is a policy of Kubernetes (networking.k8s.io/v1), which netmaster stores by its ID. It isolates the pods that it selects in its
// directions, except for what the rules of any such policy allow.
type Policy struct {
	ID      identity.NetworkPolicy `json:"id"`
	Pods    Selector               `json:"pods,omitempty"` // the selected ones, of its namespace
	Ingress Direction              `json:"ingress,omitzero"`
	Egress  Direction              `json:"egress,omitzero"`
}

// Direction is the part of a Policy for what its pods receive, or send.
type Direction struct {
	Isolates bool   `json:"isolates,omitempty"` // only what rules allow; unset, there are no rules
	Rules    []Rule `json:"rules,omitempty"`
	// Unread are reasons why something is not among the rules, each with its field: it allows nothing.
	Unread []string `json:"unread,omitempty"`
}

// Rule allows or, in a cluster's policy, may also deny traffic with any of its peers to any of its ports.
type Rule struct {
	Number int    `json:"number"`          // its place among those of the object in its direction, from 1
	Peers  []Peer `json:"peers,omitempty"` // none for any
	Ports  []Port `json:"ports,omitempty"` // of the side that is connected to; none for any, of any protocol
}

// Peer is the other side: addresses if Block is valid, otherwise pods except hostNetwork ones.
type Peer struct {
	Block      netip.Prefix   `json:"block,omitzero"`
	Except     []netip.Prefix `json:"except,omitempty"`     // of Block
	Own        bool           `json:"own,omitempty"`        // pods of the policy's own namespace; Namespaces is empty
	Namespaces Selector       `json:"namespaces,omitempty"` // whose pods, unless Own
	Pods       Selector       `json:"pods,omitempty"`       // which of these
}

// canonical reports whether a prefix is that of a network, in its only spelling.
func canonical(p netip.Prefix) bool {
	return p.IsValid() && !p.Addr().Is4In6() && p == p.Masked()
}

// Port is a range of ports of a protocol, by numbers or by the name that pods have for one of theirs.
type Port struct {
	Protocol uint8  `json:"protocol,omitempty"` // IP's number of TCP, UDP or SCTP; 0 with a Name for any of them
	First    uint16 `json:"first,omitempty"`    // 0, as is Last: all ports, or that of the Name
	Last     uint16 `json:"last,omitempty"`     // the same as First for one port
	Name     string `json:"name,omitempty"`
}

// UnmarshalJSON decodes the stored form.
func (p *Peer) UnmarshalJSON(text []byte) error {
	type plain Peer
	var t plain
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	if t.Block.IsValid() && !canonical(t.Block) {
		return fmt.Errorf("block: %q is not the prefix of a network", t.Block)
	}
	for _, e := range t.Except {
		if !canonical(e) {
			return fmt.Errorf("except: %q is not the prefix of a network", e)
		}
	}
	*p = Peer(t)
	return nil
}

// UnmarshalJSON decodes the stored form.
func (p *Port) UnmarshalJSON(text []byte) error {
	type plain Port
	var t plain
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	if t.First > t.Last || t.First == 0 && t.Last != 0 {
		return fmt.Errorf("ports %d to %d are no range", t.First, t.Last)
	}
	*p = Port(t)
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"
	"net/netip"
)

// KubernetesNode is a node of Kubernetes, at KubernetesNodes+Name. It is the host that has one of its addresses.
type KubernetesNode struct {
	Name      string       `json:"name"`
	Addresses []netip.Addr `json:"addresses,omitempty"` // in order, each once
	Zone      string       `json:"zone,omitempty"`      // label topology.kubernetes.io/zone
	// Excluded means that load balancers leave it out (label node.kubernetes.io/exclude-from-external-load-balancers).
	Excluded bool `json:"excluded,omitempty"`
}

// UnmarshalJSON decodes the stored form.
func (n *KubernetesNode) UnmarshalJSON(text []byte) error {
	type plain KubernetesNode
	var t plain
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	if err := canonical("addresses", t.Addresses...); err != nil {
		return err
	}
	*n = KubernetesNode(t)
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package record

import "github.com/contiv/contiv/identity"

// Pod is the pod of Kubernetes that an Endpoint belongs to. Its labels are the Endpoint's.
type Pod struct {
	ID    identity.Pod `json:"name"`
	UID   string       `json:"uid,omitempty"`   // at the API server; for a static pod its mirror's
	Ports []NamedPort  `json:"ports,omitempty"` // of its containers, those that have names; by name and protocol
}

// NamedPort is a port of a pod that policies may refer to by its name.
type NamedPort struct {
	Name     string `json:"name"`
	Protocol uint8  `json:"protocol"` // IP's number
	Port     uint16 `json:"port"`
}

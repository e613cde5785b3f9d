// SPDX-License-Identifier: Apache-2.0

package record

// Namespace is a namespace of Kubernetes, at Namespaces+Name.
type Namespace struct {
	Name   string            `json:"name"`
	UID    string            `json:"uid"`
	Labels map[string]string `json:"labels,omitempty"`
	Place  Place             `json:"place,omitzero"` // of its pods, fixed by its annotations
}

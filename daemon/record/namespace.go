package record

// Namespace is a namespace of Kubernetes, at Namespaces+Name.
type Namespace struct {
	Name   string            `json:"name"`
	UID    string            `json:"uid"`
	Labels map[string]string `json:"labels,omitempty"`
	Place  Place             `json:"place,omitzero"` // that its pods have and cannot leave, by its annotations
}

// SPDX-License-Identifier: Apache-2.0

package model

import "slices"

// WorkloadMatrix is what the pods of a namespace of Kubernetes may open towards each other and the outside, by the network policies of
// Kubernetes and by Contiv's rules: GET /api/v1/matrix/NAMESPACE.
type WorkloadMatrix struct {
	Namespace string           `json:"namespace"`
	Workloads []MatrixWorkload `json:"workloads"` // ordered by name, the outside last
	Cells     []MatrixCell     `json:"cells"`     // of every sender, in that order, to every receiver
}

// MatrixWorkload is a set of pods that no policy distinguishes, or the outside.
type MatrixWorkload struct {
	Name   string   `json:"name"`             // of the first of its pods, with how many more there are: "web-1 +2"; or "outside"
	Tenant string   `json:"tenant,omitempty"` // absent of the outside
	Pods   []string `json:"pods,omitempty"`   // by name, in order
}

// MatrixCell is what one workload may open towards another.
type MatrixCell struct {
	From    string        `json:"from"`
	To      string        `json:"to"`
	Sum     string        `json:"sum"`     // summary: "all", "none", "tcp 80", "all -tcp 22"; "" if it is not judged
	Classes []MatrixClass `json:"classes"` // kinds of traffic that are distinguished, the narrower ones first
}

// MatrixClass is the fate of one kind of traffic.
type MatrixClass struct {
	Traffic string `json:"traffic"`       // "tcp 80", "udp 5000-5010", "tcp" for its other ports, "other" for all the rest
	Fate    string `json:"fate"`          // "allowed", "denied", or "depends" on addresses
	Out     string `json:"out,omitempty"` // the decider at the sender; absent if nothing matches
	In      string `json:"in,omitempty"`  // the decider at the receiver
}

// Of returns the workload that has a pod, or has that name; nil if there is none.
func (m *WorkloadMatrix) Of(name string) *MatrixWorkload {
	i := slices.IndexFunc(m.Workloads, func(w MatrixWorkload) bool { return w.Name == name || slices.Contains(w.Pods, name) })
	if i < 0 {
		return nil
	}
	return &m.Workloads[i]
}

// Cell returns the cell of two workloads by their names; nil if there is none.
func (m *WorkloadMatrix) Cell(from, to string) *MatrixCell {
	i := slices.IndexFunc(m.Cells, func(c MatrixCell) bool { return c.From == from && c.To == to })
	if i < 0 {
		return nil
	}
	return &m.Cells[i]
}

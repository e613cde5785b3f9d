// SPDX-License-Identifier: Apache-2.0

package model

// Drift lists the differences of a host's switch from its desired state: GET /api/v1/agents/HOST/drift, and GET /inspect/drift of the agent
// itself, which compare at once and repair nothing. POST repairs first; Now is then what is left.
type Drift struct {
	Host     string       `json:"host"`
	Observes bool         `json:"observes,omitempty"` // the agent repairs only on request
	Now      []Difference `json:"now"`                // what differs now
	Found    []Difference `json:"found"`              // the latest of the agent's own comparisons, the oldest first
}

// Difference is one thing that differs from its desired state.
type Difference struct {
	At    string `json:"at"`              // RFC 3339
	Kind  string `json:"kind"`            // "flow", "group", "meter", "port", "bridge", "address", "nftables", "sysctl" or "interface"
	Owner string `json:"owner"`           // "kind/name" of the object that it belongs to, "" if there is none
	Table string `json:"table,omitempty"` // of a flow
	What  string `json:"what"`            // "removed", "changed" or "added", with a description of the flow
	Was   string `json:"was"`             // the actual state, as ovs-ofctl prints it; "" if it is missing
	Want  string `json:"want"`            // the desired state; "" for nothing

	Remedy string `json:"remedy,omitempty"` // for differences that agents cannot repair; otherwise ""
}

// Text describes the difference, with the remedy if agents cannot repair it.
func (d *Difference) Text() string {
	if d.Remedy == "" {
		return d.What
	}
	return d.What + "; " + d.Remedy
}

// sort returns the kind of the difference, with the table of a flow.
func (d *Difference) sort() any {
	if d.Table == "" {
		return d.Kind
	}
	return d.Kind + " " + d.Table
}

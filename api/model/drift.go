package model

// Drift is what the switch of a host does not hold as it should: GET /api/v1/agents/HOST/drift, and GET /inspect/drift of the
// agent itself, which compare at once and repair nothing. POST repairs first; Now is then what is left.
type Drift struct {
	Host     string       `json:"host"`
	Observes bool         `json:"observes,omitempty"` // the agent repairs only when it is told to
	Now      []Difference `json:"now"`                // what differs now
	Found    []Difference `json:"found"`              // the last that the agent's own comparisons found, the oldest first
}

// Difference is one thing that a switch did not hold as it should.
type Difference struct {
	At    string `json:"at"`              // RFC 3339
	Kind  string `json:"kind"`            // "flow", "group", "meter", "port", "bridge", "address", "nftables", "sysctl" or "interface"
	Owner string `json:"owner"`           // "kind/name" of the object that it belongs to, "" when it is no one's
	Table string `json:"table,omitempty"` // of a flow
	What  string `json:"what"`            // in words: "removed", "changed" or "added", with what the flow is about
	Was   string `json:"was"`             // what was found, as ovs-ofctl prints it; "" when it was gone
	Want  string `json:"want"`            // what should be; "" for nothing

	Remedy string `json:"remedy,omitempty"` // what to do of what agents cannot repair; "" of what they can
}

// Text is what differs in words, with what to do when agents cannot repair it.
func (d *Difference) Text() string {
	if d.Remedy == "" {
		return d.What
	}
	return d.What + "; " + d.Remedy
}

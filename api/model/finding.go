package model

// Severity says how much a Finding matters.
type Severity string

// The severities, the worst first.
const (
	SeverityError   Severity = "error"   // packets are lost, or changes are not carried out
	SeverityWarning Severity = "warning" // one failure more, or more load, and they would be
	SeverityUnknown Severity = "unknown" // what was to say it did not answer
	SeverityInfo    Severity = "note"    // nothing is wrong, but it may be what someone looks for
)

// Finding is one thing that is wrong in the cluster, or that cannot be told: what was found, about which object, and what to do.
// Two findings with the same Code, Host and Object are the same one.
type Finding struct {
	Code     string   `json:"code"` // as in docs/findings.md: "tunnel-loss"
	Severity Severity `json:"severity"`
	Host     string   `json:"host,omitempty"`  // label of the host that found it; absent when a netmaster did
	Object   string   `json:"object"`          // "kind/name", as owners of flows are named: "endpoint/default:blue:web", "host/h2"
	Evidence string   `json:"evidence"`        // what was seen, in a sentence
	Remedy   string   `json:"remedy"`          // what to do about it, a sentence
	Next     string   `json:"next,omitempty"`  // the command that tells more
	Since    string   `json:"since,omitempty"` // RFC 3339: when it was found first
}

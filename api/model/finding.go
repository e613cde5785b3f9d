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

// FindingCode is the code of a finding. The codes that there are stand in api/findings.yaml, and no package but this one can make another; one that
// is decoded may be of another version.
type FindingCode struct{ text string }

// String is the code as it is printed: "tunnel-loss".
func (c FindingCode) String() string { return c.text }

// MarshalText is for JSON.
func (c FindingCode) MarshalText() ([]byte, error) { return []byte(c.text), nil }

// UnmarshalText takes any code, since the daemon that reported it may be newer.
func (c *FindingCode) UnmarshalText(text []byte) error {
	c.text = string(text)
	return nil
}

// FindingInfo describes a code for operators: docs/findings.md and netctl explain show it.
type FindingInfo struct {
	Code       FindingCode `json:"code"`
	Severities []Severity  `json:"severities"` // those that the finding can have
	Reporter   string      `json:"reporter"`   // the daemon that reports it, and its check
	Doc        string      `json:"doc"`        // what is wrong; the first sentence is the summary
	Remedy     string      `json:"remedy"`
}

// Info finds the description of a code; ok is false for a code of another version.
func (c FindingCode) Info() (info FindingInfo, ok bool) {
	for _, i := range FindingCodes() {
		if i.Code == c {
			return i, true
		}
	}
	return FindingInfo{}, false
}

// Finding is one thing that is wrong in the cluster, or that cannot be told: what was found, about which object, and what to do.
// Two findings with the same Code, Host and Object are the same one.
type Finding struct {
	Code     FindingCode `json:"code"` // as in docs/findings.md: "tunnel-loss"
	Severity Severity    `json:"severity"`
	Host     string      `json:"host,omitempty"`  // label of the host that found it; absent when a netmaster did
	Object   string      `json:"object"`          // "kind/name", as owners of flows are named: "endpoint/default:blue:web", "host/h2"
	Evidence string      `json:"evidence"`        // what was seen, in a sentence
	Remedy   string      `json:"remedy"`          // what to do about it, a sentence
	Next     string      `json:"next,omitempty"`  // the command that tells more
	Since    string      `json:"since,omitempty"` // RFC 3339: when it was found first
}

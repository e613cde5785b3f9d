// SPDX-License-Identifier: Apache-2.0

package model

// Severity is how much a Finding matters.
type Severity string

// The severities, the worst first.
const (
	SeverityError   Severity = "error"   // packets are lost, or changes are not carried out
	SeverityWarning Severity = "warning" // with one more failure, or more load, they would be
	SeverityUnknown Severity = "unknown" // the component to check did not answer
	SeverityInfo    Severity = "note"    // nothing is wrong, but it may explain something
)

// FindingCode is the code of a finding. api/findings.yaml lists the codes, and only this package can make another; a decoded one may be
// of another version.
type FindingCode struct{ text string }

// String returns the code, such as "tunnel-loss".
func (c FindingCode) String() string { return c.text }

// MarshalText encodes the code for JSON.
func (c FindingCode) MarshalText() ([]byte, error) { return []byte(c.text), nil }

// UnmarshalText accepts any code, since the daemon that reported it may be newer.
func (c *FindingCode) UnmarshalText(text []byte) error {
	c.text = string(text)
	return nil
}

// FindingInfo describes a code for operators: docs/findings.md and netctl explain show it.
type FindingInfo struct {
	Code       FindingCode   `json:"code"`
	Severities []Severity    `json:"severities"` // those that the finding can have
	Reporter   string        `json:"reporter"`   // the daemon that reports it, and its check
	Doc        string        `json:"doc"`        // what is wrong; the first sentence is the summary
	Remedy     string        `json:"remedy"`
	Cut        Cut           `json:"cut"`
	Explains   []Explanation `json:"explains"` // the findings that follow from it
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

// Finding is one problem of the cluster, or something that could not be checked: what was found, about which object, and the remedy. Two
// findings with the same Code, Host and Object are the same one.
type Finding struct {
	Code         FindingCode      `json:"code"` // as in docs/findings.md: "tunnel-loss"
	Severity     Severity         `json:"severity"`
	Host         string           `json:"host,omitempty"`         // label of the host that found it; absent if a netmaster did
	Object       string           `json:"object"`                 // "kind/name", as owners of flows are named: "endpoint/default:blue:web", "host/h2"
	Evidence     string           `json:"evidence"`               // what was seen, in a sentence
	Remedy       string           `json:"remedy"`                 // the remedy, a sentence
	Next         string           `json:"next,omitempty"`         // a command for more information
	Since        string           `json:"since,omitempty"`        // RFC 3339: when it was first found
	Peers        []string         `json:"peers,omitempty"`        // labels of the hosts at the other ends of the paths that it is about, or that share the address
	CausedBy     *FindingRef      `json:"causedBy,omitempty"`     // the finding that explains it, and that nothing explains; absent of a cause
	Acknowledged *Acknowledgement `json:"acknowledged,omitempty"` // by an operator, for a time
	Effects      int              `json:"effects,omitempty"`      // of a cause: number of the findings that it explains
}

// FindingRef names a finding of the same list.
type FindingRef struct {
	Code   FindingCode `json:"code"`
	Host   string      `json:"host,omitempty"`
	Object string      `json:"object"`
}

// Ref returns the name of the finding.
func (f *Finding) Ref() FindingRef { return FindingRef{f.Code, f.Host, f.Object} }

// String is "code object", with the host that found it if that is not the object.
func (r FindingRef) String() string {
	out := r.Code.String() + " " + r.Object
	if r.Host != "" && r.Object != "host/"+r.Host {
		out += " on " + r.Host
	}
	return out
}

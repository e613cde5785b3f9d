// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Summary is the state of an object that a list has on request (summary=true), from what netmaster knows without its agents. An absent
// member is unknown, or does not apply to the kind.
type Summary struct {
	VNI       int      `json:"vni,omitempty"`       // of a network: the VNI, or the VLAN id
	Used      *int     `json:"used,omitempty"`      // of a network: addresses that are given or held
	Free      *int     `json:"free,omitempty"`      // of a network: IPv4 addresses that can be given
	Endpoints *int     `json:"endpoints,omitempty"` // of a network or group: their number; of a service: that of its providers
	Ready     *int     `json:"ready,omitempty"`     // of a service: number of the providers on hosts whose agents run
	Address   string   `json:"address,omitempty"`   // of a service
	Groups    []string `json:"groups,omitempty"`    // of a rule: names of the groups that have its policy
}

// Field returns a member by its JSON name: an int, a string or a []string; nil if it is absent.
func (s *Summary) Field(name string) any {
	number := func(n *int) any {
		if n == nil {
			return nil
		}
		return *n
	}
	switch name {
	case "vni":
		if s.VNI != 0 {
			return s.VNI
		}
	case "used":
		return number(s.Used)
	case "free":
		return number(s.Free)
	case "endpoints":
		return number(s.Endpoints)
	case "providers":
		if s.Ready == nil || s.Endpoints == nil {
			return number(s.Endpoints)
		}
		return strconv.Itoa(*s.Ready) + "/" + strconv.Itoa(*s.Endpoints)
	case "address":
		return s.Address
	case "groups":
		return s.Groups
	}
	return nil
}

// Summarized is an object with its summary.
type Summarized struct {
	Object
	Summary Summary
}

// Field returns a field of the object or of its summary, or, of a rule, the ends of its traffic.
func (s *Summarized) Field(name string) any {
	if rule, ok := s.Object.(*Rule); ok && (name == RuleFrom || name == RuleTo) {
		return rule.End(name, s.Summary.Groups)
	}
	if v := s.Object.Field(name); v != nil {
		return v
	}
	return s.Summary.Field(name)
}

// MarshalJSON adds the summary to the object's members.
func (s *Summarized) MarshalJSON() ([]byte, error) {
	object, err := json.Marshal(s.Object)
	if err != nil {
		return nil, err
	}
	summary, err := json.Marshal(s.Summary)
	if err != nil {
		return nil, err
	}
	return WithSummary(object, summary), nil
}

// WithSummary adds a summary to an object, both in JSON.
func WithSummary(object, summary []byte) []byte {
	out := append([]byte(nil), object[:len(object)-1]...)
	if len(out) > 1 {
		out = append(out, ',')
	}
	out = append(out, `"summary":`...)
	return append(append(out, summary...), '}')
}

// The ends of a rule's traffic, as fields of a Summarized rule.
const (
	RuleFrom = "from"
	RuleTo   = "to"
)

// End returns an end of the rule's traffic: its peer, or the groups that have its policy. "any" is every peer, and no group is "".
func (r *Rule) End(name string, groups []string) string {
	if (name == RuleFrom) != (r.Direction == "in") {
		if len(groups) == 1 {
			return "group " + groups[0]
		}
		if len(groups) > 1 {
			return "groups " + strings.Join(groups, ", ")
		}
		return ""
	}
	var parts []string
	for _, p := range []struct{ kind, name string }{
		{"group ", r.FromEndpointGroup + r.ToEndpointGroup}, {"network ", r.FromNetwork + r.ToNetwork}, {"", r.FromIpAddress + r.ToIpAddress},
	} {
		if p.name != "" {
			parts = append(parts, p.kind+p.name)
		}
	}
	if len(parts) == 0 {
		return "any"
	}
	return strings.Join(parts, ", ")
}

// SummaryColumns returns the columns of a kind's table that show its summary, for netctl and the console, and the header before which they
// come; "" is the end. For a rule, they replace its peer.
func (k *Kind) SummaryColumns() (columns []Column, before, instead string) {
	switch k.Name {
	case "network":
		return []Column{{Header: "VNI", Field: "vni"}, {Header: "Used", Field: "used", Rank: RankHigh}, {Header: "Free", Field: "free", Rank: RankHigh}}, "", ""
	case "endpointGroup":
		return []Column{{Header: "Endpoints", Field: "endpoints", Rank: RankHigh}}, "", ""
	case "serviceLB":
		return []Column{{Header: "Address", Field: "address", Rank: RankHigh}, {Header: "Ports", Field: "ports", Rank: RankHigh}, {Header: "Providers", Field: "providers", Rank: RankHigh}}, "", ""
	case "rule":
		return []Column{{Header: "From", Field: RuleFrom, Rank: RankHigh}, {Header: "To", Field: RuleTo, Rank: RankHigh}}, "Protocol", "Peer"
	}
	return nil, "", ""
}

// SummarizedColumns returns the columns of a kind's table with those of its summary.
func (k *Kind) SummarizedColumns() (out []Column) {
	added, before, instead := k.SummaryColumns()
	for _, c := range k.Columns {
		if c.Header == before && before != "" {
			out = append(out, added...)
			added = nil
		}
		if c.Header != instead || instead == "" {
			out = append(out, c)
		}
	}
	return append(out, added...)
}

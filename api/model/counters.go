// SPDX-License-Identifier: Apache-2.0

package model

import "time"

// Counters has the counters of all hosts' switches: GET /api/v1/counters, from which rates are derived (package api/rates).
type Counters struct {
	Hosts []HostCounters `json:"hosts"` // by label
}

// HostCounters has the counters of a host's switch, as GET /inspect/counters of its agent returns them. A counter may restart at 0, for
// instance when the switch or a flow was recreated.
type HostCounters struct {
	Host      string            `json:"host"`
	Unknown   string            `json:"unknown,omitempty"` // why the host's counters are unknown; then all else is absent
	ReadAt    time.Time         `json:"took"`              // time of reading, by the host's clock
	Endpoints []EndpointCounter `json:"endpoints,omitempty"`
	Rules     []RuleCounter     `json:"rules,omitempty"` // a rule of a policy that several groups have comes once for each
}

// EndpointCounter counts what an endpoint has sent with its own addresses, and received.
type EndpointCounter struct {
	Endpoint  string    `json:"endpoint"`            // as in "default:net:c1"
	Container string    `json:"container,omitempty"` // the runtime's name, for a pod "namespace/pod", if it differs
	Group     string    `json:"group,omitempty"`     // as in "default:web"; "": none
	Sent      FlowCount `json:"sent"`
	Received  FlowCount `json:"received"`
}

// RuleCounter counts the packets that a rule has decided about. Packets of open connections pass without another decision, so these are
// mostly packets that open one.
type RuleCounter struct {
	Rule  string    `json:"rule"`  // as in "default:web-in:1"
	Group string    `json:"group"` // that has it
	Hits  FlowCount `json:"hits"`
}

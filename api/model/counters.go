package model

import "time"

// Counters is what the switches of all hosts have counted: GET /api/v1/counters, from which rates follow (package api/rates).
type Counters struct {
	Hosts []HostCounters `json:"hosts"` // by label
}

// HostCounters is what the switch of a host has counted, as GET /inspect/counters of its agent shows it. A number may begin again at 0, as when the
// switch was started or a flow was made again.
type HostCounters struct {
	Host      string            `json:"host"`
	Unknown   string            `json:"unknown,omitempty"` // why nothing is known of the host now; then there is nothing else
	ReadAt    time.Time         `json:"took"`              // when it was read, by the host's clock
	Endpoints []EndpointCounter `json:"endpoints,omitempty"`
	Rules     []RuleCounter     `json:"rules,omitempty"` // a rule of a policy that several groups have comes once for each
}

// EndpointCounter is what an endpoint has sent with its own addresses, and received.
type EndpointCounter struct {
	Endpoint  string    `json:"endpoint"`            // as in "default:net:c1"
	Container string    `json:"container,omitempty"` // what the runtime calls it, of a pod "namespace/pod", where that is another name
	Group     string    `json:"group,omitempty"`     // as in "default:web"; "": none
	Sent      FlowCount `json:"sent"`
	Received  FlowCount `json:"received"`
}

// RuleCounter is what a rule has decided about. Open connections pass without being judged again, so these are packets that open one, mostly.
type RuleCounter struct {
	Rule  string    `json:"rule"`  // as in "default:web-in:1"
	Group string    `json:"group"` // that has it
	Hits  FlowCount `json:"hits"`
}

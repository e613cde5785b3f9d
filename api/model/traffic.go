// SPDX-License-Identifier: Apache-2.0

package model

import "time"

// EndpointTraffic is the traffic of an endpoint, as GET /inspect/traffic of its host's agent returns it.
type EndpointTraffic struct {
	Since    time.Time  `json:"since"`             // start of counting; earlier traffic is unknown
	Sent     FlowCount  `json:"sent"`              // with its own addresses
	Refused  *FlowCount `json:"refused,omitempty"` // sent with others; nil: unknown
	Received FlowCount  `json:"received"`
	Limited  bool       `json:"limited,omitempty"` // it has a limit for receiving; packets that the limit drops are among Received
}

// FlowCount has the counters of flows.
type FlowCount struct {
	Packets uint64 `json:"packets"`
	Bytes   uint64 `json:"bytes"` // of Ethernet frames, as the switch received them
}

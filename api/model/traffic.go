package model

import "time"

// EndpointTraffic is what an endpoint has sent and received, as GET /inspect/traffic of its host's agent shows it.
type EndpointTraffic struct {
	Since    time.Time  `json:"since"`             // it has been counted; before, it is unknown
	Sent     FlowCount  `json:"sent"`              // with its own addresses
	Refused  *FlowCount `json:"refused,omitempty"` // sent with others; nil: unknown
	Received FlowCount  `json:"received"`
	Limited  bool       `json:"limited,omitempty"` // it has a limit for receiving; what that drops is among Received
}

// FlowCount is what flows have counted.
type FlowCount struct {
	Packets uint64 `json:"packets"`
	Bytes   uint64 `json:"bytes"` // of Ethernet frames, as the switch got them
}

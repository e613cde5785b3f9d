// SPDX-License-Identifier: Apache-2.0

package model

// Flow is one flow of a host's switch: GET /api/v1/agents/HOST/flows, and GET /inspect/flows of the agent itself. The query may select
// owner=KIND/NAME and table=NAME or its number.
type Flow struct {
	Table    string    `json:"table"`
	TableID  string    `json:"tableID"`
	Priority uint16    `json:"priority"`
	Owner    string    `json:"owner"`             // "kind/name", "" if no current object caused it
	Feature  string    `json:"feature,omitempty"` // the part of the pipeline that made it
	Match    string    `json:"match"`             // in words, with the names of objects; "any packet"
	Does     string    `json:"does"`              // what it does, in words
	Flow     string    `json:"flow"`              // as ovs-ofctl prints it
	Drop     bool      `json:"drop,omitempty"`
	Shadow   string    `json:"shadow,omitempty"` // the flow, as ovs-ofctl prints it, of a higher priority that matches all its packets
	Packets  uint64    `json:"packets"`
	Bytes    uint64    `json:"bytes"`
	Age      uint32    `json:"age"`            // seconds since it was added to the switch
	Rate     *FlowRate `json:"rate,omitempty"` // nil until two samples were taken shortly after one another
}

// FlowRate is the recent rate of a flow.
type FlowRate struct {
	Packets float64 `json:"packets"` // per second
	Bytes   float64 `json:"bytes"`   // per second
}

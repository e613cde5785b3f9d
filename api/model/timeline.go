// SPDX-License-Identifier: Apache-2.0

package model

import (
	"strconv"
	"time"
)

// TimelineEvent is the start or the end of a finding in the cluster: GET /api/v1/timeline.
type TimelineEvent struct {
	Number   uint64    `json:"number"`
	Time     time.Time `json:"time"` // by the leader's clock
	Ended    bool      `json:"ended"`
	Code     string    `json:"code"` // as in Finding, like the next three
	Severity Severity  `json:"severity"`
	Host     string    `json:"host,omitempty"`
	Object   string    `json:"object"`
	Evidence string    `json:"evidence,omitempty"` // absent for an end
	Times    int       `json:"times,omitempty"`    // number of times that it has come and gone since its last event, if more than one
}

// Verb returns the kind of event.
func (e *TimelineEvent) Verb() string {
	if e.Ended {
		return "ended"
	}
	return "found"
}

// Text returns the evidence of the finding, or reports its end.
func (e *TimelineEvent) Text() string {
	out := e.Code
	if e.Host != "" && e.Object != "host/"+e.Host {
		out += " on " + e.Host
	}
	if e.Times > 1 {
		out += " (came and went " + strconv.Itoa(e.Times) + " times)"
	}
	if e.Evidence != "" {
		out += ": " + e.Evidence
	}
	return out
}

package model

import (
	"strconv"
	"time"
)

// TimelineEvent is that something was found wrong in the cluster, or has ended: GET /api/v1/timeline.
type TimelineEvent struct {
	Number   uint64    `json:"number"`
	Time     time.Time `json:"time"` // by the leader's clock
	Ended    bool      `json:"ended"`
	Code     string    `json:"code"` // as of Finding, like the next three
	Severity Severity  `json:"severity"`
	Host     string    `json:"host,omitempty"`
	Object   string    `json:"object"`
	Evidence string    `json:"evidence,omitempty"` // absent when it has ended
	Times    int       `json:"times,omitempty"`    // it came and went so often since the event before of the same finding, when more than once
}

// Verb is what has happened.
func (e *TimelineEvent) Verb() string {
	if e.Ended {
		return "ended"
	}
	return "found"
}

// Text is what was found, or that it has ended, in words.
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

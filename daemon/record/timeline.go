package record

import "time"

// Timeline is where it is kept what was found wrong in the cluster, and when that ended; + number. No agent is told of it.
const Timeline = Root + "timeline/"

// TimelineEvent is that something was found wrong, or has ended, at Timeline+Number.
type TimelineEvent struct {
	Number   uint64    `json:"-"` // in the key
	At       time.Time `json:"at"`
	Since    time.Time `json:"since,omitzero"`  // when it began, as the finding says; absent when it has ended, and in records of older builds
	Ended    bool      `json:"ended,omitempty"` // else it was found then
	Code     string    `json:"code"`            // Code, Host and Object are those of the finding
	Host     string    `json:"host,omitempty"`
	Object   string    `json:"object"`
	Severity string    `json:"severity,omitempty"` // as of model.Finding; absent when it has ended
	Evidence string    `json:"evidence,omitempty"` // absent when it has ended
	Times    int       `json:"times,omitempty"`    // it has come and gone so often since the event before of this finding, when more than once
}

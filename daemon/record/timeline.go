// SPDX-License-Identifier: Apache-2.0

package record

import "time"

// Timeline is the prefix of the cluster's findings and their ends; + number. No agent receives it.
const Timeline = Root + "timeline/"

// TimelineEvent is the start or the end of a finding, at Timeline+Number.
type TimelineEvent struct {
	Number   uint64    `json:"-"` // in the key
	At       time.Time `json:"at"`
	Since    time.Time `json:"since,omitzero"`  // its start, from the finding; absent for an end, and in records of older builds
	Ended    bool      `json:"ended,omitempty"` // false: it was found then
	Code     string    `json:"code"`            // Code, Host and Object are those of the finding
	Host     string    `json:"host,omitempty"`
	Object   string    `json:"object"`
	Severity string    `json:"severity,omitempty"` // as in model.Finding; absent for an end
	Evidence string    `json:"evidence,omitempty"` // absent for an end
	Times    int       `json:"times,omitempty"`    // number of times that it has come and gone since its last event, if more than one
}

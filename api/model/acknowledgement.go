// SPDX-License-Identifier: Apache-2.0

package model

import "time"

// MaxAcknowledged is the longest time for which a finding is acknowledged.
const MaxAcknowledged = 30 * 24 * time.Hour

// Acknowledgement is an operator's statement that a finding is known, for a time: GET /api/v1/acknowledgements.
type Acknowledgement struct {
	Code   FindingCode `json:"code"`
	Object string      `json:"object"` // as in Finding
	Reason string      `json:"reason"`
	By     string      `json:"by,omitempty"` // the user; absent if users are not authenticated
	At     time.Time   `json:"at"`
	Until  time.Time   `json:"until"`
}

// Text describes who has acknowledged the finding, until when and why.
func (a *Acknowledgement) Text() string {
	by := ""
	if a.By != "" {
		by = " by " + a.By
	}
	return "acknowledged" + by + " until " + a.Until.UTC().Format(time.RFC3339) + ": " + a.Reason
}

// AcknowledgeRequest acknowledges the findings with a code about an object, or ends that: POST /api/v1/acknowledgements.
type AcknowledgeRequest struct {
	Seconds int    `json:"seconds"`          // how long; 0 ends an acknowledgement
	Reason  string `json:"reason,omitempty"` // at most 300 bytes; required unless seconds is 0
}

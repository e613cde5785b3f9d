// SPDX-License-Identifier: Apache-2.0

package record

import "time"

// Acknowledgements is the prefix of the acknowledgements of findings, each at Acknowledgements+Key. No agent receives them.
const Acknowledgements = Root + "acknowledged/"

// Acknowledgement is an operator's statement that a finding is known, for a time.
type Acknowledgement struct {
	Key    string    `json:"key"` // AcknowledgementKey
	Code   string    `json:"code"`
	Object string    `json:"object"` // "kind/name"
	Reason string    `json:"reason"`
	By     string    `json:"by,omitempty"` // the user; "": the netmaster does not authenticate users
	At     time.Time `json:"at"`
	Until  time.Time `json:"until"`
}

// AcknowledgementKey returns the key of the acknowledgement of a finding, whichever host has found it.
func AcknowledgementKey(code, object string) string { return code + "/" + object }

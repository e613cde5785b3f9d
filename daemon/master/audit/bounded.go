// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/sanitize"
)

// Maximum lengths of an event's texts, in bytes.
const (
	longWord = 64  // of claimed or short texts
	longName = 253 // of authenticated names: the maximum length of an identity
	longText = 200 // of a target or a reason
)

// bounded returns an event with short, single-line texts without terminal control characters.
func bounded(e model.AuditEvent) model.AuditEvent {
	name := longWord
	if e.Proof != "" {
		name = longName
	}
	e.Verb, e.User, e.Proof = sanitize.Line(e.Verb, longWord), sanitize.Line(e.User, name), sanitize.Line(e.Proof, longWord)
	e.From, e.Via = sanitize.Line(e.From, longWord), sanitize.Line(e.Via, longName)
	e.Target, e.Why = sanitize.Line(e.Target, longText), sanitize.Line(e.Why, longText)
	return e
}

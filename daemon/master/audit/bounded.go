package audit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/legible"
)

// Bytes that are kept of an event's texts.
const (
	longWord = 64  // of what is claimed or is short
	longName = 253 // of who has proved to be that, as identities have at most
	longText = 200 // of a target or a reason
)

// bounded is an event as it is kept: whatever its texts came from, they are short lines that command no terminal.
func bounded(e model.AuditEvent) model.AuditEvent {
	name := longWord
	if e.Proof != "" {
		name = longName
	}
	e.Verb, e.User, e.Proof = legible.Line(e.Verb, longWord), legible.Line(e.User, name), legible.Line(e.Proof, longWord)
	e.From, e.Via = legible.Line(e.From, longWord), legible.Line(e.Via, longName)
	e.Target, e.Why = legible.Line(e.Target, longText), legible.Line(e.Why, longText)
	return e
}

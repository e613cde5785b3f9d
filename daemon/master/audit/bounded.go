package audit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/sanitize"
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
	e.Verb, e.User, e.Proof = sanitize.Line(e.Verb, longWord), sanitize.Line(e.User, name), sanitize.Line(e.Proof, longWord)
	e.From, e.Via = sanitize.Line(e.From, longWord), sanitize.Line(e.Via, longName)
	e.Target, e.Why = sanitize.Line(e.Target, longText), sanitize.Line(e.Why, longText)
	return e
}

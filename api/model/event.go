package model

import "encoding/json"

// RevisionHeader is the header of answers that carries the store revision of a change.
const RevisionHeader = "X-Contiv-Revision"

// Headers about the incarnation of a store, which is the id of its history. Every answer of a netmaster carries that of its store; an answer to an agent's
// hello the whole record of it too, as JSON, which names those that it follows. A request of an agent carries the one that its host knows: a netmaster with
// another store refuses it.
const (
	IncarnationHeader      = "X-Contiv-Incarnation"
	IncarnationRecord      = "X-Contiv-Incarnation-Record"
	KnownIncarnationHeader = "X-Contiv-Known-Incarnation"
)

// ContinueHeader is the header of a page of a list that says where the next begins; the last page has none.
const ContinueHeader = "X-Contiv-Continue"

// StaleHeader is the header of an answer to a read that says why the netmaster may know less than the store has. With CurrentHeader in the request, whose
// value does not matter, such a netmaster refuses instead, so that a client of several asks the next one.
const (
	StaleHeader   = "X-Contiv-Stale"
	CurrentHeader = "X-Contiv-Current"
)

// RepeatHeader marks a request that is sent again because no one answered it: what it asks for may have happened.
const RepeatHeader = "X-Contiv-Repeat"

// EventType says what an Event of the watch stream means.
type EventType string

// The event types.
const (
	EventFull   EventType = "full"   // Items is everything of Kind at Revision, with those of EventMore that follow
	EventMore   EventType = "more"   // Items are further ones of the EventFull of Kind before
	EventPut    EventType = "put"    // Object was created or changed at Revision
	EventDelete EventType = "delete" // Key is gone since Revision
	EventSync   EventType = "sync"   // everything up to Revision has been sent
)

// Event is one message of the watch stream.
type Event struct {
	Type     EventType         `json:"type"`
	Kind     string            `json:"kind,omitempty"`
	Key      string            `json:"key,omitempty"`
	Object   json.RawMessage   `json:"object,omitempty"`
	Items    []json.RawMessage `json:"items,omitempty"`
	Revision uint64            `json:"revision"`
}

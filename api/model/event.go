// SPDX-License-Identifier: Apache-2.0

package model

import "encoding/json"

// RevisionHeader is the header of answers that carries the store revision of a change.
const RevisionHeader = "X-Contiv-Revision"

// Headers about the incarnation of a store, which is the id of its history. Every answer of a netmaster carries that of its store; an
// answer to an agent's hello also carries the whole record as JSON, with its predecessors. A request of an agent carries the one that its
// host knows: a netmaster with another store refuses it.
const (
	IncarnationHeader      = "X-Contiv-Incarnation"
	IncarnationRecord      = "X-Contiv-Incarnation-Record"
	KnownIncarnationHeader = "X-Contiv-Known-Incarnation"
)

// ContinueHeader is the header of a page of a list with the position of the next; the last page has none.
const ContinueHeader = "X-Contiv-Continue"

// StaleHeader is the header of an answer to a read with the reason why the netmaster may lag behind the store. With CurrentHeader in the
// request, of any value, such a netmaster refuses instead, so that a client of several tries the next one.
const (
	StaleHeader   = "X-Contiv-Stale"
	CurrentHeader = "X-Contiv-Current"
)

// AtHeader is the header of an answer to a read about an earlier moment, with the moment as in the query at. An answer without it is about the present.
const AtHeader = "X-Contiv-At"

// RepeatHeader marks a request that is repeated because there was no answer: it may have been carried out.
const RepeatHeader = "X-Contiv-Repeat"

// EventType is the type of an Event of the watch stream.
type EventType string

// The event types.
const (
	EventFull   EventType = "full"   // Items are all objects of Kind at Revision, with those of EventMore that follow
	EventMore   EventType = "more"   // Items continue the preceding EventFull of Kind
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

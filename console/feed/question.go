// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"time"

	"github.com/contiv/contiv/api/model"
)

// Question is a request for data that netmaster does not push; it is repeated while a page shows it.
type Question struct {
	Topic  Topic            `json:"topic"`
	Host   string           `json:"host,omitempty"`
	Kind   string           `json:"kind,omitempty"`
	Key    string           `json:"key,omitempty"`
	Detail string           `json:"detail,omitempty"`
	Why    model.WhyRequest `json:"why,omitzero"`
}

// Answer is the last answer to a question, and the one before, for rates.
type Answer struct {
	Value, Before any       // nil: none yet
	At, BeforeAt  time.Time // when they came
	Tried         time.Time // of the last request, with or without an answer
	Err           string    // why the last attempt brought none; Value is then the last good one
}

// Of returns the value of the answer to a question, of the type that its topic declares; ok is false if there is none.
func Of[T any](s *Snapshot, q Question) (value T, a Answer, ok bool) {
	a = s.Answers[q]
	value, ok = a.Value.(T)
	return value, a, ok
}

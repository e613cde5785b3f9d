// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"errors"
	"fmt"
)

// Errors that callers handle.
var (
	// ErrLost means that the connection ended before the answer: it is unknown whether the transaction was carried out.
	ErrLost = errors.New("connection to ovsdb-server was lost")
	// ErrMalformed means that the server sent something that violates RFC 7047.
	ErrMalformed = errors.New("malformed OVSDB message")
	// ErrNoBridge means that the bridge of an operation does not exist, or no longer.
	ErrNoBridge = errors.New("bridge does not exist in Open vSwitch")
)

// The protocol's error names (RFC 7047 sections 3.1 and 4.1.3, and ovsdb-server(7)), for Error.Is by errors.Is.
var (
	ErrConstraint  = &Error{Name: "constraint violation"}
	ErrReferential = &Error{Name: "referential integrity violation"}
	ErrWaitFailed  = &Error{Name: "timed out"}
	ErrAborted     = &Error{Name: "aborted"}
	ErrNoResources = &Error{Name: "resources exhausted"}
	ErrIO          = &Error{Name: "I/O error"}
)

// Error is an error that ovsdb-server answered with: the name from the protocol and the server's explanation.
type Error struct {
	Name    string // "constraint violation", "timed out", ...
	Details string
	Op      int // index of the operation that failed; -1 when the error concerns the whole transaction
}

// Error prints the name and the server's explanation.
func (e *Error) Error() string {
	if e.Details == "" {
		return "ovsdb-server: " + e.Name
	}
	return fmt.Sprintf("ovsdb-server: %s: %s", e.Name, e.Details)
}

// Is reports whether target is an Error of the same name.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Name == e.Name
}

// SPDX-License-Identifier: Apache-2.0

package model

import (
	"errors"
	"fmt"
	"strings"
)

// Errorf returns an Error with a formatted message. If an argument is an Error, or wraps one, its remedy becomes the new error's remedy, so
// that it is not in the middle of the message.
func Errorf(code Code, field, format string, args ...any) *Error {
	e := &Error{Code: code, Field: field, Message: fmt.Sprintf(format, args...)}
	for _, a := range args {
		if err, ok := a.(error); ok {
			var inner *Error
			if errors.As(err, &inner) && inner.Remedy != "" {
				e.Message = strings.Replace(e.Message, inner.bracket(), "", 1)
				e.Try("%s", inner.Remedy)
			}
		}
	}
	return e
}

// Try adds a remedy, before those that the error has, and returns the error. It does not repeat parts of message and remedy.
func (e *Error) Try(format string, args ...any) *Error {
	said, fresh := strings.ToLower(e.Message), []string(nil)
	for clause := range strings.SplitSeq(fmt.Sprintf(format, args...)+stop+e.Remedy, stop) {
		if lower := strings.ToLower(clause); clause != "" && !strings.Contains(said, lower) {
			fresh, said = append(fresh, clause), said+stop+lower
		}
	}
	e.Remedy = strings.Join(fresh, stop)
	return e
}

// Parted returns the text of an error, with its wrapping, and its remedy separately; "" if it has none.
func Parted(err error) (text, remedy string) {
	var e *Error
	if text = err.Error(); !errors.As(err, &e) {
		return text, ""
	}
	return strings.Replace(text, e.bracket(), "", 1), e.Remedy
}

// stop divides the clauses of a remedy.
const stop = "; "

// bracket is the format of a remedy after the message.
func (e *Error) bracket() string {
	if e.Remedy == "" {
		return ""
	}
	return " (" + e.Remedy + ")"
}

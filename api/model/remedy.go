package model

import (
	"errors"
	"fmt"
	"strings"
)

// Errorf makes an Error with a formatted message. Of an argument that is an Error, or wraps one, the remedy becomes the new error's
// remedy: it does not stand in the middle of the message.
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

// Try adds a remedy, before those that the error has, and returns the error. What message and remedy say already is not said again.
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

// Parted is the text of an error, with what wraps it, and the remedy that it has apart; "" when it has none.
func Parted(err error) (text, remedy string) {
	var e *Error
	if text = err.Error(); !errors.As(err, &e) {
		return text, ""
	}
	return strings.Replace(text, e.bracket(), "", 1), e.Remedy
}

// stop divides the clauses of a remedy.
const stop = "; "

// bracket is how the remedy stands behind the message.
func (e *Error) bracket() string {
	if e.Remedy == "" {
		return ""
	}
	return " (" + e.Remedy + ")"
}

package term

import (
	"errors"
	"fmt"
)

// Exit codes.
const (
	OK      = 0
	Usage   = 1 // wrong arguments or flags, a check of netctl itself, a bad netmaster URL
	Version = 2 // version could not be read
	Server  = 3 // the server refused, or was not reached
	Local   = 4 // the terminal, a file or the output failed
)

// Exit is an error with the exit code that it ends the program with.
type Exit struct {
	Code int
	Err  error // nil: the output has said it all, and nothing failed
	Help bool  // print the command's help too
}

// Error prints the cause.
func (e *Exit) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the cause.
func (e *Exit) Unwrap() error { return e.Err }

// Exitf makes an error that ends the program with code.
func Exitf(code int, format string, args ...any) error {
	return &Exit{Code: code, Err: fmt.Errorf(format, args...)}
}

// Outcome ends the program with code, and with no more words: it did what it was asked to, and code is part of the answer.
func Outcome(code int) error { return &Exit{Code: code} }

// BadUsage makes an error that ends the program with Usage, after the command's help.
func BadUsage(format string, args ...any) error {
	return &Exit{Code: Usage, Err: fmt.Errorf(format, args...), Help: true}
}

// CodeOf is the exit code of an error: its own, or Server for what came from there.
func CodeOf(err error) int {
	var e *Exit
	switch {
	case err == nil:
		return OK
	case errors.As(err, &e):
		return e.Code
	default:
		return Server
	}
}

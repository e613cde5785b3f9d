// SPDX-License-Identifier: Apache-2.0

package term

import (
	"errors"
	"fmt"
)

// Exit codes. Those below 10 are the original's. From 10 on the command has succeeded, and the code is its answer.
const (
	OK      = 0
	Usage   = 1 // wrong arguments or flags, a check of netctl itself, a bad netmaster URL
	Version = 2 // version could not be read
	Server  = 3 // the server refused, or was unreachable
	Warned  = 1 // of doctor and status: a warning, or unknown
	Broken  = 2 // of doctor and status: an error
	Local   = 4 // the terminal, a file or the output failed

	Differs  = 10 // the compared objects differ
	Denied   = 11 // the packet does not arrive
	Disagree = 12 // objects and switches disagree
	Unknown  = 13 // unknown
	Behind   = 14 // the change is stored, but not programmed everywhere yet
)

// ExitCode explains an exit code.
type ExitCode struct {
	Code     int
	Commands string // that use it
	Doc      string
}

// ExitCodes lists every exit code once; it is the only table of its kind.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{OK, "all", "Success. For `diff` and `drift`: nothing differs; for `why`: the packet arrives."},
		{Usage, "all", "Wrong arguments or flags, an invalid file, or a bad `--netmaster` URL. Nothing was sent. For `doctor` and `status`, as with monitoring plug-ins: there are warnings or unknown states, but no errors; these two print their findings, not the usage."},
		{Version, "`version`, `doctor`, `status`", "The server was not reached. For `doctor` and `status`: there are errors."},
		{Server, "all", "The server refused the request, for instance because the object does not exist, or was not reached; or `login` was refused."},
		{Local, "all", "The terminal, a local file or the output failed."},
		{Differs, "`diff`, `drift`", "A difference was found."},
		{Denied, "`why`", "The packet does not arrive; the switches and, if they decide it, the objects agree."},
		{Disagree, "`why`", "The switches contradict the objects."},
		{Unknown, "`why`", "The result is unknown: an agent does not answer, or the path leaves the known network."},
		{Behind, "`--wait`", "The change is stored, but an agent did not program it in time."},
	}
}

// Exit is an error with the program's exit code.
type Exit struct {
	Code int
	Err  error // nil: the output is complete, and nothing failed
	Help bool  // the command line was wrong: refer to the command's help
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

// Exitf returns an error with an exit code.
func Exitf(code int, format string, args ...any) error {
	return &Exit{Code: code, Err: fmt.Errorf(format, args...)}
}

// Outcome returns an Exit that prints nothing: the command succeeded, and code is part of its answer.
func Outcome(code int) error { return &Exit{Code: code} }

// BadUsage returns an error with the code Usage, which refers to the command's help.
func BadUsage(format string, args ...any) error {
	return &Exit{Code: Usage, Err: fmt.Errorf(format, args...), Help: true}
}

// CodeOf returns the exit code of an error: its own, or Server for errors of the server.
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

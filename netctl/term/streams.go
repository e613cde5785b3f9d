// SPDX-License-Identifier: Apache-2.0

// Package term has netctl's input and output: streams, tables, output formats and exit codes.
package term

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/contiv/contiv/api/model"
)

// Streams are the input and output of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Screen   Screen         // of Out
	Zone     *time.Location // in which the user writes times; nil: UTC
	InTTY    bool           // In is a terminal: a person may answer questions
	OutTTY   bool           // Out is a terminal
	ErrTTY   bool           // Err is a terminal
	Now      func() time.Time
	// Secret reads a line without echo; ErrNoTerminal if the terminal cannot hide it.
	Secret func() (string, error)
}

// System returns the process's own streams.
func System() Streams {
	out := int(os.Stdout.Fd())
	s := Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Zone: time.Local, OutTTY: term.IsTerminal(out), InTTY: term.IsTerminal(int(os.Stdin.Fd())), ErrTTY: term.IsTerminal(int(os.Stderr.Fd())), Now: time.Now,
		Secret: func() (string, error) { return secret(os.Stdin) }}
	if s.OutTTY {
		width, _, _ := term.GetSize(out) // 0 if it is unknown
		s.Screen = Screen{Width: width, Colour: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", Zone: time.Local}
	}
	return s
}

// Fail prints an error; nothing for an Outcome.
func (s Streams) Fail(err error) {
	var exit *Exit
	if errors.As(err, &exit) && exit.Err == nil {
		return
	}
	fmt.Fprintf(s.Err, "error: %s\n", err)
}

// Failure is an error as FailJSON prints it.
type Failure struct {
	Code    model.Code `json:"code"` // as in docs/reference: "not-found"
	Field   string     `json:"field,omitempty"`
	Message string     `json:"message"`
	Remedy  string     `json:"remedy,omitempty"`
	Exit    int        `json:"exit"` // exit code of the program
}

// FailJSON prints an error as one line of JSON, of a Failure; nothing for an Outcome.
func (s Streams) FailJSON(err error) {
	var exit *Exit
	if errors.As(err, &exit) && exit.Err == nil {
		return
	}
	out := Failure{Code: model.CodeInternal, Message: err.Error(), Exit: CodeOf(err)}
	var e *model.Error
	switch {
	case errors.As(err, &e):
		out.Code, out.Field, out.Message, out.Remedy = e.Code, e.Field, e.Message, e.Remedy
	case out.Exit == Usage:
		out.Code = model.CodeInvalid
	case out.Exit == Server:
		out.Code = model.CodeUnavailable
	}
	text, err := json.Marshal(out)
	if err != nil {
		text = []byte(err.Error()) // it cannot fail: the members are texts and a number
	}
	fmt.Fprintf(s.Err, "%s\n", text)
}

// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"strings"
)

// Typed is a command that a page has its reader type.
type Typed struct {
	Line   int // of the page, from 1
	Shell  string
	Prints string // what the page shows below the command, as Matches compares; "": anything
}

// prompt begins a command in a block that also shows output.
const prompt = "$ "

// Commands returns the commands of a page for one reader, in its order. A block whose first line begins with a prompt is a session: its lines with a prompt
// are commands, and the others are what the command before prints. Every line of another block is a command.
func Commands(text string) (out []Typed, err error) {
	block, session := false, false // whether the line before was in a block, and whether the block is a session
	for i, line := range strings.Split(text, "\n") {
		body, in := strings.CutPrefix(line, indent)
		if !in {
			block = block && strings.TrimSpace(line) == "" // an empty line is part of the block around it
			continue
		}
		if !block {
			block, session = true, strings.HasPrefix(body, prompt)
		}
		command, typed := strings.CutPrefix(body, prompt)
		switch {
		case typed != session && typed:
			return nil, fmt.Errorf("line %d: a block whose first line has no prompt is a list of commands: got %q", i+1, body)
		case typed || !session:
			out = append(out, Typed{Line: i + 1, Shell: command})
		default:
			out[len(out)-1].Prints += body + "\n"
		}
	}
	return out, nil
}

// SPDX-License-Identifier: Apache-2.0

package app

import (
	"io"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"
)

// handover is the least time for which a child has the terminal. Bubble Tea does not wait for its drawing goroutine to end before it starts the
// next one: the first may stop the ticker of the second, and nothing is drawn any more (issue 1778 of Bubble Tea). The first ends within
// this time.
const handover = 50 * time.Millisecond

// child is a program that has the terminal until it ends, such as an editor.
type child struct{ *exec.Cmd }

// lend lends the terminal to a program, and sends what done returns when the program has ended.
func lend(cmd *exec.Cmd, done tea.ExecCallback) tea.Cmd { return tea.Exec(child{cmd}, done) }

// Run runs the program, and blocks until it has ended.
func (c child) Run() error {
	least := time.NewTimer(handover)
	defer least.Stop()
	err := c.Cmd.Run()
	<-least.C
	return err
}

// SetStdin has the program read the terminal.
func (c child) SetStdin(r io.Reader) { c.Stdin = r }

// SetStdout has the program write to the terminal.
func (c child) SetStdout(w io.Writer) { c.Stdout = w }

// SetStderr has the program write its errors to the terminal, unless they go elsewhere already.
func (c child) SetStderr(w io.Writer) {
	if c.Stderr == nil {
		c.Stderr = w
	}
}

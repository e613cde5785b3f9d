// SPDX-License-Identifier: Apache-2.0

package command

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/netctl/term"
	"github.com/contiv/contiv/sanitize"
)

// work shows on a terminal that the command works, unless it prints anything within a second. A command that asks its user, or that shows what
// comes, has no progress.
func (f *Factory) work(c *cobra.Command) {
	if !f.ErrTTY || f.progress != nil || c.Flags().Lookup("output") == nil || follows(c) {
		return
	}
	tick := f.Tick
	if tick == nil {
		tick = time.After
	}
	f.progress = term.StartProgress(f.given.Err, c.CommandPath()+": waiting for netmaster", f.Now, tick)
	f.raw, f.Err = f.progress.Ending(f.raw), f.progress.Ending(f.Err)
	f.Out = sanitize.Writer(f.raw)
}

// pages reports whether the output of a command is read by a person: it is a result on a terminal, and neither a change nor a stream.
func (f *Factory) pages(c *cobra.Command) bool {
	program := strings.TrimSpace(f.Getenv("PAGER"))
	if !f.OutTTY || f.noPager || program == "" || program == "cat" || c.Flags().Lookup("output") == nil || c.Flags().Lookup("dry-run") != nil {
		return false
	}
	return !follows(c)
}

// follows reports whether a command prints what comes, until it is interrupted.
func follows(c *cobra.Command) bool {
	for _, name := range []string{"watch", "follow"} {
		if flag := c.Flags().Lookup(name); flag != nil && flag.Changed {
			return true
		}
	}
	return false
}

// page sends the output through the user's pager, until close.
func (f *Factory) page(c *cobra.Command) {
	if f.pager != nil || !f.pages(c) {
		return
	}
	words, err := splitWords(f.Getenv("PAGER"))
	if err != nil || len(words) == 0 {
		return
	}
	program := exec.Command(words[0], words[1:]...)
	program.Stdout, program.Stderr = f.given.Out, f.given.Err
	program.Env = os.Environ()
	if f.Getenv("LESS") == "" {
		program.Env = append(program.Env, "LESS=FRX") // end if all fits, show colours, keep the screen
	}
	in, err := program.StdinPipe()
	if err != nil || program.Start() != nil {
		return // without a pager
	}
	f.pager = &pager{program, in}
	f.raw = quiet{in}
	f.Out = sanitize.Writer(f.raw)
}

// pager is a program that shows the output.
type pager struct {
	program *exec.Cmd
	in      io.Closer
}

// end waits until the user has left the pager.
func (p *pager) end() {
	if p == nil {
		return
	}
	_ = p.in.Close()
	_ = p.program.Wait() // its result is not the command's
}

// quiet ignores that its reader has ended: the user has left the pager.
type quiet struct{ io.Writer }

// Write writes p.
func (q quiet) Write(p []byte) (int, error) {
	_, _ = q.Writer.Write(p)
	return len(p), nil
}

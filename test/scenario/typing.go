// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/contiv/contiv/test/machines/page"
)

// doTutorial types the commands of pages of docs at one shell, with the script's lab in place of the page's, and compares what they print with what the page
// shows: "tutorial tut tutorials/first-policy.md". NAME is the name of the page's lab.
func (s *Session) doTutorial(args []string) error {
	if err := need(args, 2, "tutorial NAME FILE..."); err != nil {
		return err
	}
	terminal, err := page.NewTerminal(append(os.Environ(), "PATH="+s.Getenv("PATH"), "HOME="+s.dir), page.Masked)
	if err != nil {
		return err
	}
	defer terminal.Close()
	own := fmt.Sprintf("--dir %s --name %s", s.dir, s.labName())
	for _, file := range args[1:] {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", file))
		if err != nil {
			return err
		}
		typed, err := page.Commands(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		changed := 0 // index of the last command that prints nothing: it changes something
		for i := range typed {
			c := &typed[i]
			c.Shell = strings.ReplaceAll(c.Shell, "--name "+args[0], own)
			if c.Prints == "" {
				changed = i
			}
			err := terminal.Type(*c)
			if err != nil && changed < i {
				s.Logf("%v; repeat from %s: an agent may have repaired meanwhile what this has changed", err, typed[changed].Shell)
				err = typeAll(terminal, typed[changed:i+1])
			}
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return nil
}

// typeAll types commands one after the other, until one prints something else than its page shows.
func typeAll(terminal *page.Terminal, commands []page.Typed) error {
	for _, c := range commands {
		if err := terminal.Type(c); err != nil {
			return err
		}
	}
	return nil
}

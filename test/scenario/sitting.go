// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"os"
	"path/filepath"
)

// tmux runs a command of a tmux server that is the script's own.
func (s *Session) tmux(args ...string) error {
	args = append([]string{"-S", filepath.Join(s.dir, "tmux"), "-f", filepath.Join(s.dir, "tmux.conf")}, args...)
	if err := s.Exec("env", append([]string{"TERM=xterm-256color", "LC_ALL=C.UTF-8", "tmux"}, args...)...); err != nil {
		return fmt.Errorf("tmux: %w", err)
	}
	return nil
}

// doSit starts the live console in a terminal of 100 x 30 cells, which the script's end closes: "sit [FLAGS]". Once that has
// ended, another may be started. Files that flags name are the script's own.
func (s *Session) doSit(args []string) error {
	command := append([]string{filepath.Join(s.bin, "contiv"), "console"}, args...)
	if s.sits {
		return s.tmux(append([]string{"respawn-pane"}, command...)...) // refused while there is a console
	}
	if err := os.WriteFile(filepath.Join(s.dir, "tmux.conf"), []byte("set-option -g remain-on-exit on\n"), 0o600); err != nil {
		return fmt.Errorf("set tmux up: %w", err)
	}
	s.sits = true
	s.Defer(func() { _ = s.tmux("kill-server") }) // it may have ended with the console
	return s.tmux(append([]string{"new-session", "-d", "-x", "100", "-y", "30", "-c", s.MkAbs(".")}, command...)...)
}

// doKeys presses keys, by their tmux names: "keys KEY...".
func (s *Session) doKeys(args []string) error {
	if err := need(args, 1, "keys KEY..."); err != nil {
		return err
	}
	return s.tmux(append([]string{"send-keys"}, args...)...)
}

// doScreen reads the terminal and wants an expression on it: "screen REGEXP".
func (s *Session) doScreen(args []string) error {
	if err := need(args, 1, "screen REGEXP"); err != nil {
		return err
	}
	if err := s.tmux("capture-pane", "-p"); err != nil {
		return err
	}
	return s.match(args[0])
}

// doResize gives the terminal another size: "resize WIDTH HEIGHT".
func (s *Session) doResize(args []string) error {
	if err := need(args, 2, "resize WIDTH HEIGHT"); err != nil {
		return err
	}
	return s.tmux("resize-window", "-x", args[0], "-y", args[1])
}

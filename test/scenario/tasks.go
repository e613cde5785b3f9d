// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// task is one of an operator's day: a question or a change, and what another tool needs for the same.
type task struct {
	name   string
	anchor string // the other tool
	most   int    // keys or commands that it needs
	keys   bool   // keys are counted, not commands
	used   int    // so far

	lines     []string // that were counted: keys, or commands
	elsewhere []string // keys or commands of the anchor
}

// consoles are the anchors whose keys are counted; those of others are commands.
var consoles = []string{"k9s", "lazygit", "bottom"}

// keyNames are the names of keys of tmux that are not a single character.
var keyNames = []string{"Enter", "Escape", "Space", "Tab", "BTab", "BSpace", "Up", "Down", "Left", "Right", "PPage", "NPage", "Home", "End"}

// strokes is the number of keys that are pressed for the words of the verb keys: one for a name of a key, else one for each character.
func strokes(words []string) (n int) {
	for _, w := range words {
		held := len(w) > 2 && w[1] == '-' && (w[0] == 'C' || w[0] == 'M' || w[0] == 'S')
		if held || slices.Contains(keyNames, w) {
			n++
			continue
		}
		n += utf8.RuneCountInString(w)
	}
	return n
}

// newTask reads the arguments of the verb task.
func newTask(args []string) (*task, error) {
	if err := need(args, 3, "task NAME ANCHOR KEY|COMMAND..."); err != nil {
		return nil, err
	}
	t := &task{name: args[0], anchor: args[1], most: len(args) - 2, keys: slices.Contains(consoles, args[1]), elsewhere: args[2:]}
	if t.keys {
		t.most = strokes(t.elsewhere)
	}
	return t, nil
}

// count counts a line of a script for the task in progress.
func (t *task) count(words []string) {
	switch {
	case t == nil:
	case t.keys && words[0] == "keys":
		t.used += strokes(words[1:])
		t.lines = append(t.lines, strings.Join(words[1:], " "))
	case !t.keys:
		at := slices.IndexFunc(words, func(w string) bool { return w == "netctl" || strings.HasPrefix(w, "netctl ") })
		if at >= 0 {
			t.used++
			t.lines = append(t.lines, strings.Join(words[at:], " "))
		}
	}
}

// end returns an error if a task took more than its anchor needs, or nothing.
func (t *task) end() error {
	switch {
	case t == nil || t.used > 0 && t.used <= t.most:
		return nil
	case t.used == 0:
		return fmt.Errorf("task %q: nothing was counted", t.name)
	}
	return fmt.Errorf("task %q took %d keys or commands, %s needs %d", t.name, t.used, t.anchor, t.most)
}

// doTask begins a task, and ends the one before: "task NAME ANCHOR KEY..." for a console, whose keys are those of the verb keys, or "task NAME
// ANCHOR COMMAND..." for another tool, with one argument a command.
func (s *Session) doTask(args []string) error {
	if err := s.finish(); err != nil {
		return err
	}
	t, err := newTask(args)
	if err != nil {
		return err
	}
	s.task = t
	s.tasks++
	return nil
}

// finish ends the task in progress.
func (s *Session) finish() error {
	t := s.task
	s.task = nil
	if err := t.end(); err != nil {
		return err
	}
	if t != nil {
		s.Logf("%d of %d", t.used, t.most)
	}
	return nil
}

// doSh runs a line of a shell: "sh LINE".
func (s *Session) doSh(args []string) error {
	if err := need(args, 1, "sh LINE"); err != nil {
		return err
	}
	return s.Exec("timeout", "--kill-after=1", commandLimit, "sh", "-c", args[0])
}

// doTasks ends the last task, and wants a number of them: "tasks N".
func (s *Session) doTasks(args []string) error {
	if err := need(args, 1, "tasks N"); err != nil {
		return err
	}
	if err := s.finish(); err != nil {
		return err
	}
	if got := fmt.Sprint(s.tasks); got != args[0] {
		return fmt.Errorf("want %s tasks, got %s", args[0], got)
	}
	return nil
}

// doHome ends a task and takes the console back to its first page: what is open closes, and no filter stays.
func (s *Session) doHome([]string) error {
	if err := s.finish(); err != nil {
		return err
	}
	if err := s.tmux("send-keys", "Escape"); err != nil {
		return err
	}
	// A slow console may show the first page still, with keys of the task to come. Another page shows that it has taken them.
	if err := s.doEventually([]string{"pressed", "9", `▸ tables\[`}); err != nil {
		return err
	}
	return s.doEventually([]string{"pressed", "1", `▸ overview\[`})
}

// doPressed presses a key and wants an expression on the screen: "pressed KEY REGEXP". A key that follows escape at once is another one to a
// terminal, so that it may take a repetition.
func (s *Session) doPressed(args []string) error {
	if err := need(args, 2, "pressed KEY REGEXP"); err != nil {
		return err
	}
	if err := s.tmux("send-keys", args[0]); err != nil {
		return err
	}
	return s.doScreen(args[1:])
}

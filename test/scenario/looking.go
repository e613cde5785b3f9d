// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"regexp"
	"time"
)

// patience bounds "eventually". Consul deletes the keys of a killed part within 20 s.
const patience = 40 * time.Second

// doSees runs a command that must print a match: "sees REGEXP COMMAND...".
func (s *Session) doSees(args []string) error {
	if err := need(args, 2, "sees REGEXP COMMAND"); err != nil {
		return err
	}
	if err := s.line(args[1:]); err != nil {
		return err
	}
	return s.match(args[0])
}

// match requires a match in the output of the last command.
func (s *Session) match(pattern string) error {
	re, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		return err
	}
	if !re.MatchString(s.stdout()) {
		return fmt.Errorf("want a match of %s, got:\n%s", pattern, s.stdout())
	}
	return nil
}

// doDiffers changes the switch of a host, and requires netctl drift to report what matches: "differs REGEXP HOST COMMAND". The agent looks by
// itself, so it may repair the change before netctl asks; then doDiffers repeats the change.
func (s *Session) doDiffers(args []string) error {
	if err := need(args, 3, "differs REGEXP HOST COMMAND"); err != nil {
		return err
	}
	var err error
	for range 2 {
		if err := s.doOn(args[1:]); err != nil {
			return err
		}
		if s.line([]string{"netctl", "drift", args[1]}) == nil {
			err = fmt.Errorf("want netctl drift to fail, got:\n%s", s.stdout())
			continue
		}
		if err = s.match(args[0]); err == nil {
			return nil
		}
	}
	return err
}

func (s *Session) doEventually(args []string) error {
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		err := s.line(args)
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}

func (s *Session) doAlways(args []string) error {
	if err := need(args, 2, "always N COMMAND"); err != nil {
		return err
	}
	var n int
	if _, err := fmt.Sscanf(args[0], "%d", &n); err != nil {
		return fmt.Errorf("always %s: %w", args[0], err)
	}
	for range n {
		if err := s.line(args[1:]); err != nil {
			return err
		}
	}
	return nil
}

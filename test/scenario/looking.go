package scenario

import (
	"fmt"
	"regexp"
	"time"
)

// patience bounds "eventually".
const patience = 20 * time.Second

func (s *Session) doStdout(args []string) error { return match(s.stdout, args) }

func (s *Session) doStderr(args []string) error { return match(s.stderr, args) }

func (s *Session) doSees(args []string) error {
	if err := need(args, 2, "sees REGEXP COMMAND"); err != nil {
		return err
	}
	if err := s.do(args[1:]); err != nil {
		return err
	}
	return match(s.stdout, args[:1])
}

func match(text string, args []string) error {
	if err := need(args, 1, "stdout|stderr REGEXP"); err != nil {
		return err
	}
	re, err := regexp.Compile("(?m)" + args[0])
	if err != nil {
		return err
	}
	if !re.MatchString(text) {
		return fmt.Errorf("want a match of %s, got:\n%s", args[0], text)
	}
	return nil
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

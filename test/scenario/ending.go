// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/contiv/contiv/lab"
)

// endTimeout bounds each program that is run after a script.
const endTimeout = 90 * time.Second

// crashed has the first words of the Go runtime, and of its race detector, about a program's end.
var crashed = regexp.MustCompile(`(?m)^(panic: |fatal error: |runtime: goroutine |WARNING: DATA RACE)`)

// found are commands whose output on each host is shown after a failure: how far the agent is, what the switch does with packets, and
// what it knows of connections.
func found() []string {
	return []string{"curl -s -m 5 --unix-socket /run/contiv/contiv-agent.sock http://agent/status", "for d in $(ovs-appctl dpctl/dump-dps); do ovs-appctl dpctl/dump-flows $d | cut -c1-600; done",
		"for d in $(ovs-appctl dpctl/dump-dps); do ovs-appctl dpctl/dump-conntrack $d | head -40; done"}
}

// end ends the lab. It is an error when a master or agent has panicked, whatever else went well; after a failure, what its programs
// logged and what its hosts hold is logged too. It does not depend on the script's time: that may be over.
func (s *Session) end() error {
	if s.TestScript == nil {
		return os.RemoveAll(s.dir) // no command of ours was run
	}
	if s.churn != nil {
		close(s.churn.stop)
		<-s.churn.done
	}
	if s.failed() {
		s.logState()
	}
	errs := s.panics()
	if out, err := s.afterwards("down"); err != nil {
		errs = append(errs, fmt.Errorf("lab down: %w: %s", err, out))
	}
	if s.ping != nil {
		_ = s.ping.cmd.Process.Kill()
		_ = s.ping.cmd.Wait() // what it ran ended with the lab
	}
	s.hangUp()
	s.stopServing()
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

// afterwards runs a lab command after the script and returns what it prints.
func (s *Session) afterwards(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, filepath.Join(s.bin, lab.Program), s.labArgs(args)...).CombinedOutput()
	return string(out), err
}

// panics finds what masters and agents say at their end.
func (s *Session) panics() (errs []error) {
	for _, h := range s.hosts {
		for _, part := range []string{"master", "agent"} {
			log, err := s.afterwards("logs", h, part)
			if err != nil {
				continue // the host has none
			}
			if at := crashed.FindStringIndex(log); at != nil {
				errs = append(errs, fmt.Errorf("%s of %s crashed:\n%s", part, h, log[at[0]:min(len(log), at[0]+2000)]))
			}
		}
	}
	return errs
}

// logState logs what hosts hold, and the ends of their logs.
func (s *Session) logState() {
	for _, h := range s.hosts {
		for _, command := range found() {
			if out, err := s.afterwards("exec", h, "--", "sh", "-c", command); err == nil {
				s.Logf("%s on %s:\n%s", command, h, out)
			}
		}
		for _, part := range []string{"master", "agent", "ovs"} {
			if log, err := s.afterwards("logs", h, part); err == nil {
				lines := strings.Split(strings.TrimSpace(log), "\n")
				s.Logf("the end of the log of %s on %s:\n%s", part, h, strings.Join(lines[max(0, len(lines)-12):], "\n"))
			}
		}
	}
}

package scenario

import (
	"context"
	"os"
	"regexp"
	"strings"
)

// crashed is how the Go runtime, and its race detector, begin to tell of a program's end.
var crashed = regexp.MustCompile(`(?m)^(panic: |fatal error: |runtime: goroutine |WARNING: DATA RACE)`)

// noPanics fails the test when a master or agent has panicked, whatever else went well.
func (s *Session) noPanics() {
	for _, h := range s.hosts {
		for _, part := range []string{"master", "agent"} {
			if err := s.lab("logs", h, part); err != nil {
				continue // the host has none
			}
			if at := crashed.FindStringIndex(s.stdout); at != nil {
				s.tb.Errorf("%s of %s crashed:\n%s", part, h, s.stdout[at[0]:min(len(s.stdout), at[0]+2000)])
			}
		}
	}
}

// found are commands whose output on each host is shown after a failure: how far the agent is, what the switch does with packets, and
// what it knows of connections.
func found() []string {
	return []string{"curl -s -m 5 http://127.0.0.1:9090/status", "ovs-appctl dpctl/dump-flows netdev@ovs-netdev | cut -c1-600",
		"ovs-appctl dpctl/dump-conntrack netdev@ovs-netdev | head -40"}
}

// end ends the lab and, after a failure, shows what its programs logged and what its hosts hold.
func (s *Session) end() {
	s.ctx = context.Background()
	if s.tb.Failed() {
		for _, h := range s.hosts {
			for _, command := range found() {
				if err := s.lab("exec", h, "--", "sh", "-c", command); err == nil {
					s.tb.Logf("%s on %s:\n%s", command, h, s.stdout)
				}
			}
			for _, part := range []string{"master", "agent", "ovs"} {
				if err := s.lab("logs", h, part); err == nil {
					lines := strings.Split(strings.TrimSpace(s.stdout), "\n")
					s.tb.Logf("the end of the log of %s on %s:\n%s", part, h, strings.Join(lines[max(0, len(lines)-12):], "\n"))
				}
			}
		}
	}
	s.noPanics()
	if err := s.lab("down"); err != nil {
		s.tb.Errorf("lab down: %v: %s", err, s.stderr)
	}
	if s.ping != nil {
		_ = s.ping.cmd.Process.Kill()
		_ = s.ping.cmd.Wait() // what it ran ended with the lab
	}
	s.hangUp()
	s.stopServing()
	_ = os.RemoveAll(s.dir)
}

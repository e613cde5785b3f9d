// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// settled is how long flows must not change before a script relies on them: what a host learns of others arrives after their start.
const settled = time.Second

// doFlows remembers the flows of a host once they have settled, or compares them with those.
func (s *Session) doFlows(args []string) error {
	if err := need(args, 2, "flows HOST keep|same"); err != nil {
		return err
	}
	host := args[0]
	switch args[1] {
	case "keep":
		text, err := s.settledFlows(host)
		if err != nil {
			return err
		}
		s.flows[host] = text
		return nil
	case "same":
		text, err := s.flowsOf(host)
		if err != nil {
			return err
		}
		if text != s.flows[host] {
			return fmt.Errorf("the flows of %s are not the same:\n%s", host, difference(s.flows[host], text))
		}
		return nil
	}
	return fmt.Errorf("flows: got %s, want keep or same", args[1])
}

// settledFlows waits until the flows of a host have not changed for a while.
func (s *Session) settledFlows(host string) (string, error) {
	last, err := s.flowsOf(host)
	for since, end := time.Now(), time.Now().Add(patience); err == nil && time.Since(since) < settled; time.Sleep(settled / 10) {
		if time.Now().After(end) {
			return "", fmt.Errorf("flows: those of %s change all the time", host)
		}
		var text string
		if text, err = s.flowsOf(host); text != last {
			last, since = text, time.Now()
		}
	}
	return last, err
}

// flowsOf reads the flows and groups of a host without what changes by itself: counters, ages, the order, and leased flows.
func (s *Session) flowsOf(host string) (string, error) {
	var all []string
	for _, what := range []string{"dump-flows", "dump-groups"} {
		if err := s.lab("exec", host, "--", "ovs-ofctl", "-O", "OpenFlow13", "--no-stats", what, "contiv0"); err != nil {
			return "", err
		}
		lines := strings.Split(strings.TrimSpace(s.stdout()), "\n")
		all = append(all, lines[min(1, len(lines)):]...) // the first line has the transaction's number
	}
	all = slices.DeleteFunc(all, func(line string) bool { return strings.Contains(line, "hard_timeout=") })
	slices.Sort(all)
	return strings.Join(all, "\n"), nil
}

// difference lists the lines of only one of two texts.
func difference(before, after string) string {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	var text []string
	for _, l := range a {
		if !slices.Contains(b, l) {
			text = append(text, "- "+l)
		}
	}
	for _, l := range b {
		if !slices.Contains(a, l) {
			text = append(text, "+ "+l)
		}
	}
	return strings.Join(text, "\n")
}

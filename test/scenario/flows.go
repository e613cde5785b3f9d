package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// doFlows compares flows without what changes by itself: counters, ages and the order.
func (s *Session) doFlows(args []string) error {
	if err := need(args, 2, "flows HOST keep|same"); err != nil {
		return err
	}
	host := args[0]
	var all []string
	for _, what := range []string{"dump-flows", "dump-groups"} {
		if err := s.lab("exec", host, "--", "ovs-ofctl", "-O", "OpenFlow13", "--no-stats", what, "contiv0"); err != nil {
			return err
		}
		lines := strings.Split(strings.TrimSpace(s.stdout()), "\n")
		all = append(all, lines[min(1, len(lines)):]...) // the first line has the transaction's number
	}
	all = slices.DeleteFunc(all, func(line string) bool { return strings.Contains(line, "hard_timeout=") }) // leased: they come and go with the agent
	slices.Sort(all)
	text := strings.Join(all, "\n")
	switch args[1] {
	case "keep":
		s.flows[host] = text
		return nil
	case "same":
		if text != s.flows[host] {
			return fmt.Errorf("the flows of %s are not the same:\n%s", host, difference(s.flows[host], text))
		}
		return nil
	}
	return fmt.Errorf("flows: got %s, want keep or same", args[1])
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

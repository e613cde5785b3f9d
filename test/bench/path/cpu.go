// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/test/bench/harness"
)

// spent is the processor time of the parts of all hosts, by part.
type spent map[string]time.Duration

// cpu asks what has been used so far.
func (s *site) cpu(ctx context.Context) (spent, error) {
	out := spent{}
	for _, host := range s.hosts {
		parts, err := s.lab.Parts(host)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			if !p.Running() {
				continue
			}
			// Process numbers are the host's own.
			cmd, err := s.lab.Command(ctx, host, "sh", "-c", fmt.Sprintf("cat /proc/%d/task/*/schedstat", p.PID))
			if err != nil {
				return nil, err
			}
			text, err := cmd.Output()
			if err != nil {
				return nil, fmt.Errorf("processor time of %s on %s: %w", p.Name, host, err)
			}
			used, err := harness.Ran(string(text))
			if err != nil {
				return nil, err
			}
			out[p.Name] += used
		}
	}
	return out, nil
}

// since prints what was used for each of n things since before.
func (s spent) since(before spent, n int) string {
	var out []string
	for _, part := range []string{lab.PartMaster, lab.PartAgent, lab.PartOVS} {
		out = append(out, fmt.Sprintf("%s %.2f", part, float64((s[part]-before[part])/time.Duration(n))/float64(time.Millisecond)))
	}
	return strings.Join(out, ", ") + " ms"
}

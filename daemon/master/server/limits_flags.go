// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"

	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/httpserver"
)

// Register adds the flags.
func (l *Limits) Register(s *flags.Set) {
	s.Int(&l.Watches, "max-watches", "MAX_WATCHES", DefaultWatches, "how many watches are open at once; one client has a quarter")
	s.Int(&l.Captures, "max-captures", "MAX_CAPTURES", DefaultCaptures, "how many captures run at once; one client has a quarter")
	s.Int(&l.Agents, "max-agents", "MAX_AGENTS", DefaultAgents, "maximum number of agents that receive records from this netmaster; one address has a quarter")
	s.Int(&l.Strangers, "max-strangers", "MAX_STRANGERS", DefaultStrangers, "maximum number of concurrent logins and joins of unauthenticated clients; one client has a quarter")
	s.Int(&l.Traces, "max-traces", "MAX_TRACES", DefaultTraces, "how many traces and inspections of agents run at once; one client has a quarter")
	s.Int(&l.Bundles, "max-bundles", "MAX_BUNDLES", DefaultBundles, "how many support bundles are written at once; one client has a quarter")
}

// LimitFlags are the flags about limits, which can change at run time.
func LimitFlags() []string {
	return []string{"max-watches", "max-captures", "max-agents", "max-strangers", "max-traces", "max-bundles"}
}

// Check returns an error for an invalid limit.
func (l *Limits) Check() error {
	for flag, n := range map[string]int{"max-watches": l.Watches, "max-captures": l.Captures, "max-traces": l.Traces, "max-agents": l.Agents,
		"max-bundles": l.Bundles, "max-strangers": l.Strangers} {
		if n < 1 || n > httpserver.MaxRequest {
			return fmt.Errorf("--%s %d: it is a number from 1 to %d", flag, n, httpserver.MaxRequest)
		}
	}
	return nil
}

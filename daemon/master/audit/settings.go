// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"

	"github.com/contiv/contiv/daemon/flags"
)

// Settings are the destinations of events beside the store.
type Settings struct {
	File   string
	Syslog string // URL
}

// Register adds the flags.
func (s *Settings) Register(set *flags.Set) {
	set.String(&s.File, "audit-file", "AUDIT_FILE", "", "file to which each event of the audit is appended as a line of JSON; empty for none")
	set.String(&s.Syslog, "audit-syslog", "AUDIT_SYSLOG", "", "syslog server that receives each event of the audit, udp://HOST:PORT or tcp://HOST:PORT; empty for none")
}

// Sinks opens the destinations.
func (s *Settings) Sinks() (out []Sink, err error) {
	if s.File != "" {
		f, err := OpenFile(s.File)
		if err != nil {
			return nil, fmt.Errorf("--audit-file: %w", err)
		}
		out = append(out, f)
	}
	if s.Syslog != "" {
		to, err := NewSyslog(s.Syslog)
		if err != nil {
			return nil, fmt.Errorf("--audit-syslog: %w", err)
		}
		out = append(out, to)
	}
	return out, nil
}

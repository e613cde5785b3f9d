// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"fmt"
	"log/slog"

	"github.com/contiv/contiv/trust"
)

// Trust is how a daemon proves who it is, and knows others.
type Trust struct {
	Dir      string
	Insecure bool
}

// Register adds the flags.
func (t *Trust) Register(s *Set) {
	s.String(&t.Dir, "trust", "TRUST", trust.DefaultDir, "directory of the cluster's authority and this host's certificates, as contiv init and contiv join write it")
	s.Bool(&t.Insecure, "insecure", "INSECURE", "use plain HTTP without authentication, for an isolated network; it must be the same on all hosts of the cluster")
}

// Open reads the certificate of a role; nil where the daemon is to be insecure, which is logged. An error names what is missing and the
// remedy.
func (t *Trust) Open(role trust.Role, log *slog.Logger) (*trust.Holder, error) {
	if t.Insecure {
		log.Warn("INSECURE: no encryption or authentication: anyone who reaches this host's ports can read and change the cluster; remove --insecure once contiv init or contiv join has made certificates")
		return nil, nil
	}
	h, err := trust.Open(trust.Dir(t.Dir), role)
	if err != nil {
		return nil, fmt.Errorf("--trust %s: %w; --insecure does without", t.Dir, err)
	}
	return h, nil
}

// Scheme is that of the URLs of netmasters.
func (t *Trust) Scheme() string {
	if t.Insecure {
		return "http"
	}
	return "https"
}

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
	s.String(&t.Dir, "trust", "TRUST", trust.DefaultDir, "folder of the cluster's authority and of this host's certificates, as contiv init and contiv join write it")
	s.Bool(&t.Insecure, "insecure", "INSECURE", "speak plain HTTP to whoever asks, and believe everyone: for a network that nothing else reaches, and the same for all hosts of the cluster")
}

// Open reads the certificate of a role; nil where the daemon is to be insecure, which is logged. An error names what is missing and the remedy.
func (t *Trust) Open(role trust.Role, log *slog.Logger) (*trust.Holder, error) {
	if t.Insecure {
		log.Warn("INSECURE: whoever reaches this host's ports reads and changes the cluster, for nothing is encrypted and no one is asked for a proof; leave --insecure out once contiv init or contiv join has made certificates")
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

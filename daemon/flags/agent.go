package flags

import (
	"fmt"
	"log/slog"

	"github.com/contiv/contiv/daemon/finder"
)

// Agent is what an agent is told about the cluster.
type Agent struct {
	Common
	Netmasters []string // URLs, to begin with
}

// Register adds the flags.
func (a *Agent) Register(s *Set) {
	a.Common.Register(s)
	s.List(&a.Netmasters, "netmasters", "NETMASTERS", "netmasters to begin with, such as 192.0.2.1:9999; they tell of the others; without them, the store that --etcd-endpoints or --consul-endpoints names is asked for netmasters, and for nothing else")
}

// Check checks the values and brings them into their canonical form.
func (a *Agent) Check() error {
	a.Store.Optional = len(a.Netmasters) > 0
	if err := a.Common.Check(); err != nil {
		return err
	}
	for i, text := range a.Netmasters {
		url, err := finder.Parse(text, a.Trust.Scheme())
		if err != nil {
			return fmt.Errorf("--netmasters: %w", err)
		}
		a.Netmasters[i] = url
	}
	return nil
}

// Finder finds netmasters, by what was told.
func (a *Agent) Finder(log *slog.Logger) (*finder.Finder, error) {
	if _, err := a.Store.TLS(); err != nil {
		return nil, err
	}
	return finder.New(a.Netmasters, a.Trust.Scheme(), a.Store, log), nil
}

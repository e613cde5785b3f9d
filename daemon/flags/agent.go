// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/contiv/contiv/daemon/finder"
)

// Agent has the flags of an agent about its cluster.
type Agent struct {
	Common
	Netmasters []string // URLs, to begin with
}

// Register adds the flags.
func (a *Agent) Register(s *Set) {
	a.Common.Register(s)
	s.List(&a.Netmasters, "netmasters", "NETMASTERS", "initial netmasters, such as 192.0.2.1:9999, which send the addresses of all others (default: those that the store of --etcd-endpoints or --consul-endpoints lists)")
}

// Check checks the values and brings them into their canonical form.
func (a *Agent) Check() error {
	a.Store.Optional = len(a.Netmasters) > 0
	return All(a.Common.Check, a.checkNetmasters)
}

func (a *Agent) checkNetmasters() error {
	var all []error
	for i, text := range a.Netmasters {
		url, err := finder.Parse(text, a.Trust.Scheme())
		if err != nil {
			all = append(all, fmt.Errorf("--netmasters: %w", err))
			continue
		}
		a.Netmasters[i] = url
	}
	return errors.Join(all...)
}

// Finder returns a finder of netmasters for the flags.
func (a *Agent) Finder(log *slog.Logger) (*finder.Finder, error) {
	if _, err := a.Store.TLS(); err != nil {
		return nil, err
	}
	return finder.New(a.Netmasters, a.Trust.Scheme(), a.Store, log), nil
}

// SPDX-License-Identifier: Apache-2.0

package aci

import (
	"fmt"
	"net/url"

	"github.com/contiv/contiv/daemon/flags"
)

// Settings configure the gateway.
type Settings struct {
	URL string // "http://host:port"
}

// Register adds the flag.
func (s *Settings) Register(set *flags.Set) {
	set.String(&s.URL, "aci-gateway", "ACI_GATEWAY", DefaultURL, "where the ACI gateway takes application profiles, when the fabric is aci")
}

// Check validates the flag.
func (s *Settings) Check() error {
	if u, err := url.Parse(s.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("--aci-gateway %s: it is a URL like %s", s.URL, DefaultURL)
	}
	return nil
}

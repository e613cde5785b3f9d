// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"fmt"

	"github.com/miekg/dns"

	"github.com/contiv/contiv/daemon/flags"
)

// Settings select how the names of containers are served.
type Settings struct {
	Off     bool     // queries bypass the agent
	Domain  string   // under which names exist in addition to the bare ones
	Cluster string   // domain of the names of Kubernetes; "": the agent answers none of them
	Servers []string // for all other names, "ADDRESS" or "ADDRESS:PORT"; empty: those of the host

	serve string
}

// Register adds the flags.
func (s *Settings) Register(f *flags.Set) {
	f.String(&s.serve, "dns", "DNS", "on", "answer DNS queries of containers for names of their tenant: on or off")
	f.String(&s.Domain, "dns-domain", "DNS_DOMAIN", "contiv", "domain of these names, which also exist without a domain")
	f.String(&s.Cluster, "cluster-domain", "CLUSTER_DOMAIN", "cluster.local", "cluster domain of Kubernetes, whose names the agent answers too")
	f.List(&s.Servers, "dns-upstream", "DNS_UPSTREAM", "name servers for other names in queries to a gateway (default: the host's)")
}

// Check validates the settings.
func (s *Settings) Check() error {
	if err := flags.OneOf("dns", s.serve, "on", "off"); err != nil {
		return err
	}
	s.Off = s.serve == "off"
	if _, ok := dns.IsDomainName(s.Cluster); !ok || s.Cluster == "" {
		return fmt.Errorf("--cluster-domain %s: it is a name such as cluster.local", s.Cluster)
	}
	if _, ok := dns.IsDomainName(s.Domain); !ok || s.Domain == "" {
		return fmt.Errorf("--dns-domain %s: it is a name such as contiv or cluster.example", s.Domain)
	}
	return nil
}

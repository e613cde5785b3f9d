// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"strings"

	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/record"
)

// Settings configure the rules.
type Settings struct {
	ClusterMode string // one of the modes of package flags
	InfraType   string // of a cluster that starts for the first time
	FwdMode     string // of a cluster that starts for the first time
	HostAccess  string // of a cluster that starts for the first time; "" is private
}

// Register adds the flags of a new cluster.
func (s *Settings) Register(set *flags.Set) {
	set.String(&s.InfraType, "infra", "INFRA", "default", "fabric of a new cluster: default or aci", "infra-type")
	set.String(&s.HostAccess, "host-access", "HOST_ACCESS", "", "how hosts and containers of a new cluster meet: by private addresses of each host (private), or by the containers' own (direct), without which Kubernetes' probes and services of hosts do not work (default: private, or direct where Kubernetes is read)")
}

// Check validates the flags. kubernetes reports whether netmaster reads Kubernetes, which decides the default of HostAccess.
func (s *Settings) Check(kubernetes bool) error {
	s.InfraType = strings.ToLower(s.InfraType)
	if err := flags.OneOf("infra", s.InfraType, "default", "aci"); err != nil {
		return err
	}
	if s.HostAccess == "" {
		s.HostAccess = string(record.HostPrivate)
		if kubernetes {
			s.HostAccess = string(record.HostDirect)
		}
	}
	return flags.OneOf("host-access", s.HostAccess, string(record.HostPrivate), string(record.HostDirect))
}

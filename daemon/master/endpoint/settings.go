// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"fmt"
	"time"

	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/master/catalog"
)

// Settings configure a Service.
type Settings struct {
	ClusterMode string // one of the modes of package flags
	// Quarantine is how long an endpoint's address is not reused after its release, unless the global object sets it; 0: no time; nil:
	// half a minute for pods, whose services learn late that they are gone, and no time for others.
	Quarantine *time.Duration
	Now        func() time.Time // nil: time.Now
	Pods       Pods             // nil: netmaster does not use Kubernetes
	// Held refuses, for a while after a restore, to assign an address or delete an endpoint; nil: it never does.
	Held       func(v *catalog.View) error
	PodTenants bool   // a pod's label selects any tenant, as with the original, unless its namespace fixes one
	quarantine string // the flag of Quarantine; "": nil
}

// Register adds the flags.
func (s *Settings) Register(set *flags.Set) {
	set.String(&s.quarantine, "quarantine", "QUARANTINE", "", "how long an address is not given again after its endpoint is gone, where the global object does not say it; 0s: at once (default: 30s for pods, 0s for others)")
	set.Bool(&s.PodTenants, "pod-label-tenants", "POD_LABEL_TENANTS", "let a pod's label io.contiv.tenant enter any tenant, as the original did: a user who may create pods in one namespace then has access to every tenant")
}

// Check validates the flags.
func (s *Settings) Check() error {
	if s.quarantine == "" {
		return nil
	}
	d, err := time.ParseDuration(s.quarantine)
	if err != nil || d < 0 {
		return fmt.Errorf("--quarantine %s: it is a duration such as 10m, or 0s", s.quarantine)
	}
	s.Quarantine = &d
	return nil
}

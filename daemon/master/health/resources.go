// SPDX-License-Identifier: Apache-2.0

package health

import (
	"fmt"

	"github.com/contiv/contiv/api/model"
)

// resources finds netmasters that have hardly any file descriptor left: what else they find then, of members of the store and of others, may be due to that.
func resources(s *Snapshot) (out []model.Finding) {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Role == model.RoleAgent || n.Descriptors == nil {
			continue // agents look for themselves
		}
		if severity, short := model.ShortOfDescriptors(n.Descriptors.Used, n.Descriptors.Max); short {
			out = append(out, model.Finding{Code: model.FindingResourcesExhausted, Severity: severity, Object: "master/" + n.Name,
				Evidence: fmt.Sprintf("netmaster %s has %d file descriptors of %d that it may have; without one it answers nobody and reaches no member of the store", n.Address, n.Descriptors.Used, n.Descriptors.Max),
				Remedy:   "raise LimitNOFILE of its unit, or ulimit -n, and restart it; look what it has open in /proc/PID/fd", Next: "netctl leader"})
		}
	}
	return out
}

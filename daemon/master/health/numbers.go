// SPDX-License-Identifier: Apache-2.0

package health

import (
	"fmt"

	"github.com/contiv/contiv/api/model"
)

// Names of ranges of numbers, in findings and metrics.
const (
	NumbersVLAN   = "vlans"
	NumbersVNI    = "vnis"
	NumbersGroup  = "group-numbers"
	NumbersTenant = "tenant-numbers"
)

// numbers finds ranges of the cluster's numbers that run short.
func numbers(s *Snapshot) (out []model.Finding) {
	for i := range s.Numbers {
		r := &s.Numbers[i]
		severity, low := r.Low()
		if !low {
			continue
		}
		f := model.Finding{Code: model.FindingNumbersLow, Severity: severity, Object: "cluster/" + r.Name, Evidence: fmt.Sprintf("%d of %d %s are in use", r.Used, r.Max, r.Holds),
			Remedy: "delete groups or tenants that are not needed", Next: "netctl get groups"}
		switch r.Name {
		case NumbersVLAN:
			f.Remedy, f.Next = "delete networks that are not needed, or enlarge the range: netctl global set --vlan-range", "netctl global info"
		case NumbersVNI:
			f.Remedy, f.Next = "delete networks that are not needed, or enlarge the range: netctl global set --vxlan-range", "netctl global info"
		}
		if severity == model.SeverityError {
			f.Evidence += ": no further one can be created"
		}
		out = append(out, f)
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package health

import (
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
)

// rotation finds that the cluster's authority is being replaced, and what the next phase waits for.
func rotation(s *Snapshot) []model.Finding {
	r := &s.Rotation
	f := model.Finding{Code: model.FindingAuthorityRotation, Severity: model.SeverityWarning, Object: "authority/" + fmt.Sprintf("%.12s", r.To), Next: "contiv cert rotate-authority"}
	waits := strings.Join(r.Waiting[:min(len(r.Waiting), maxHosts)], "; ")
	if more := len(r.Waiting) - maxHosts; more > 0 {
		waits += fmt.Sprintf("; and %d more", more)
	}
	switch record.Phase(r.Phase) {
	case record.PhaseTrust:
		f.Evidence, f.Remedy = "authority "+r.From+" is being replaced, and all daemons trust the next one", "continue with contiv cert rotate-authority sign"
		if waits != "" {
			f.Evidence, f.Remedy = fmt.Sprintf("authority %.12s is being replaced, and %d daemons do not trust the next one: %s", r.From, len(r.Waiting), waits),
				"restart netmasters one after the other; then contiv cert rotate-authority sign"
		}
	case record.PhaseSign:
		f.Evidence, f.Remedy = "authority "+r.From+" is replaced, and nobody proves anything by it", "continue with contiv cert rotate-authority finish"
		if waits != "" {
			f.Evidence, f.Remedy = fmt.Sprintf("authority %.12s is being replaced, and %d still prove themselves by it: %s", r.From, len(r.Waiting), waits),
				"wait for daemons that renew by themselves; renew users' certificates with contiv cert renew user; then contiv cert rotate-authority finish"
		}
	default:
		return nil
	}
	return []model.Finding{f}
}

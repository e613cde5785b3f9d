// SPDX-License-Identifier: Apache-2.0

package health

import (
	"fmt"

	"github.com/contiv/contiv/api/model"
)

// Elsewhere is a host whose agent this netmaster refuses, since the host knows another store.
type Elsewhere struct {
	Host  string
	Known string // id of the incarnation that it knows
}

// elsewhere finds hosts that know another store than this netmaster's.
func elsewhere(s *Snapshot) (out []model.Finding) {
	for _, e := range s.Elsewhere {
		out = append(out, model.Finding{Code: model.FindingStoreIsAnother, Severity: model.SeverityError, Object: "host/" + e.Host,
			Evidence: fmt.Sprintf("the store of this netmaster has incarnation %s, and host %s knows %.40q: its agent is refused; what runs there keeps its network, and nothing new gets one", s.Incarnation, e.Host, e.Known),
			Remedy:   "have netmaster use the store that the hosts know: mount its directory, or restore a snapshot (docs/how-to/wrong-store.md)", Next: "netctl leader"})
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package health

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// adoptions finds endpoints that run and contradict the store.
func adoptions(s *Snapshot) (out []model.Finding) {
	for _, a := range s.Adoptions {
		out = append(out, model.Finding{Code: model.FindingAdoptionConflict, Severity: model.SeverityError, Object: "endpoint/" + a.Name, Host: a.Host,
			Evidence: fmt.Sprintf("endpoint %s runs on host %s with address %s, and the store does not have it: %s", a.Name, a.Host, a.Address, a.Reason),
			Remedy:   fmt.Sprintf("decide which one stays: netctl adopt accept %s, or netctl adopt drop %s", a.Name, a.Name), Next: "netctl adopt ls"})
	}
	return out
}

// maxHosts is how many hosts a finding names.
const maxHosts = 20

// adopting finds that a store which follows another one waits for hosts to offer what they carry.
func adopting(s *Snapshot) []model.Finding {
	w := s.Adopting
	if w == nil {
		return nil
	}
	have := "none has offered it yet"
	if len(w.Offered) > 0 {
		have = "offered by " + hostNames(w.Offered)
	}
	who := "not offered by " + hostNames(w.Missing)
	if len(w.Missing) == 0 {
		who = "waits for its leader to end this"
	}
	if !w.Complete {
		who = strings.TrimPrefix(who+"; which other hosts there are is not known, so it waits for all of the "+w.Max, "waits for its leader to end this; ")
	}
	f := model.Finding{Code: model.FindingAdoptionWaits, Severity: model.SeverityWarning, Object: "cluster/store",
		Evidence: fmt.Sprintf("the store follows another one (%s), and hosts offer what they carry: %s; %s. Until then, at most %s, agents receive nothing, no address is assigned and no endpoint deleted", w.Cause, have, who, w.Max),
		Remedy:   "wait: it ends by itself", Next: "netctl adopt ls"}
	if len(w.Missing) > 0 {
		f.Remedy = "start netplugin on " + hostNames(w.Missing) + ", if it does not run there; else wait: it ends by itself"
	}
	return []model.Finding{f}
}

// hostNames are the names of hosts, the first of many.
func hostNames(hosts []string) string {
	out := strings.Join(hosts[:min(len(hosts), maxHosts)], ", ")
	if more := len(hosts) - maxHosts; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// awaited reports whether an agent has no netmaster yet since the store waits for what hosts carry.
func awaited(s *Snapshot, host string) bool {
	return s.Adopting != nil && (slices.Contains(s.Adopting.Missing, host) || slices.Contains(s.Adopting.Offered, host))
}

// SPDX-License-Identifier: Apache-2.0

package model

// Health lists the problems of the cluster: GET /api/v1/health, and GET /api/v1/doctor after new checks of all agents.
type Health struct {
	At        string    `json:"at"` // RFC 3339: time of the check, by the clock of the answering netmaster
	Hosts     int       `json:"hosts"`
	Masters   int       `json:"masters"`
	Endpoints int       `json:"endpoints"`
	Findings  []Finding `json:"findings"` // causes first, the worst first, then what they explain; empty: no known problem
}

// Worst returns the worst severity of the findings, or "" if there are only notes.
func (h *Health) Worst() Severity {
	worst := SeverityInfo
	for i := range h.Findings {
		if h.Findings[i].Severity.Worse(worst) {
			worst = h.Findings[i].Severity
		}
	}
	if worst == SeverityInfo {
		return ""
	}
	return worst
}

package model

// Health is what is wrong in the cluster: GET /api/v1/health, and GET /api/v1/doctor after all agents have looked at once.
type Health struct {
	At        string    `json:"at"` // RFC 3339: when this was found out, by the clock of the netmaster that answers
	Hosts     int       `json:"hosts"`
	Masters   int       `json:"masters"`
	Endpoints int       `json:"endpoints"`
	Findings  []Finding `json:"findings"` // the worst first; empty: nothing that Contiv looks for is wrong
}

// Worst is the worst severity of the findings, "" when there are none but notes.
func (h *Health) Worst() Severity {
	if len(h.Findings) == 0 || h.Findings[0].Severity == SeverityInfo {
		return ""
	}
	return h.Findings[0].Severity
}

// SPDX-License-Identifier: Apache-2.0

package health

import (
	"net/url"
	"time"

	"github.com/contiv/contiv/api/model"
)

// unsentGrace is how long a receiver of alerts may be unavailable, such as during its restart.
const unsentGrace = 2 * time.Minute

// Unsent is a receiver that does not accept alerts.
type Unsent struct {
	URL   string
	Since time.Time
	Error string // of the first refused request
}

// unsent finds receivers of alerts that have not accepted them for some time.
func unsent(s *Snapshot) (out []model.Finding) {
	for _, r := range s.Unsent {
		if s.At.Sub(r.Since) < unsentGrace {
			continue
		}
		name := r.URL
		if u, err := url.Parse(r.URL); err == nil {
			name = u.Host
		}
		out = append(out, model.Finding{Code: model.FindingAlertsUnsent, Severity: model.SeverityWarning, Object: "receiver/" + name, Since: r.Since.UTC().Format(time.RFC3339),
			Evidence: "the receiver accepts no alerts: " + r.Error, Remedy: "start the receiver, or correct --alert-webhook, --alert-ca-file and --alert-token-file of all netmasters", Next: "netctl leader"})
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package health

import (
	"time"

	"github.com/contiv/contiv/api/model"
)

// Certificate is the newest certificate of a host's agent.
type Certificate struct {
	Host          string
	Issued, Until time.Time
	Revoked       time.Time // zero: not revoked
	RevokedBy     string
}

// endsShare is the part of a certificate's lifetime, as a divisor, that is left when it is reported: agents renew after half of it.
const endsShare = 4

// certificates finds agents that netmasters refuse, or soon will.
func certificates(s *Snapshot) (out []model.Finding) {
	connected := map[string]bool{}
	for _, n := range hosts(s) {
		connected[n.Name] = n.Answered()
	}
	for _, c := range s.Certificates {
		f := model.Finding{Code: model.FindingCertificateEnded, Severity: model.SeverityError, Object: "host/" + c.Host, Next: "contiv cert ls"}
		if connected[c.Host] {
			f.Severity = model.SeverityWarning
		}
		switch left := c.Until.Sub(s.At); {
		case !c.Revoked.IsZero():
			f.Evidence = "the certificate of its agent was revoked at " + c.Revoked.UTC().Format(time.RFC3339) + " by " + c.RevokedBy + ": netmasters refuse the agent"
			f.Remedy = "run contiv join on the host again, if it is to be part of the cluster"
		case left <= 0:
			f.Evidence = "the certificate of its agent expired at " + c.Until.UTC().Format(time.RFC3339) + ": netmasters refuse the agent until it has renewed the certificate"
			f.Remedy = "check the host's clock, and the agent's log for why it does not renew the certificate; if it cannot, run contiv join on the host again"
		case left < c.Until.Sub(c.Issued)/endsShare:
			f.Code, f.Severity = model.FindingCertificateEnds, model.SeverityWarning
			f.Evidence = "the certificate of its agent expires at " + c.Until.UTC().Format(time.RFC3339) + " and was not renewed after half of its lifetime"
			f.Remedy = "check the agent's log for why it does not renew the certificate"
		default:
			continue
		}
		out = append(out, f)
	}
	return out
}

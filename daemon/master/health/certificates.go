// SPDX-License-Identifier: Apache-2.0

package health

import (
	"strings"
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
const endsShare = 3

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
		case overdue(c.Issued, c.Until, s.At):
			f.Code, f.Severity = model.FindingCertificateEnds, model.SeverityWarning
			f.Evidence = "the certificate of its agent expires at " + c.Until.UTC().Format(time.RFC3339) + " and was not renewed after half of its lifetime"
			f.Remedy = "check the agent's log for why it does not renew the certificate"
		default:
			continue
		}
		out = append(out, f)
	}
	return append(out, ownCertificates(s)...)
}

// overdue reports whether a certificate was to be renewed long ago.
func overdue(issued, until, at time.Time) bool { return until.Sub(at) < until.Sub(issued)/endsShare }

// ownCertificates finds netmasters whose certificates were not renewed. The others refuse a netmaster whose certificate has expired, so that its report does
// not reach them: masters finds that.
func ownCertificates(s *Snapshot) (out []model.Finding) {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Role == model.RoleAgent || n.Certificate == nil {
			continue
		}
		from, err := time.Parse(time.RFC3339, n.Certificate.From)
		until, failed := time.Parse(time.RFC3339, n.Certificate.Until)
		if err != nil || failed != nil || !overdue(from, until, s.At) {
			continue
		}
		f := model.Finding{Code: model.FindingCertificateEnds, Severity: model.SeverityWarning, Object: "master/" + n.Name, Next: "contiv cert show",
			Evidence: "the certificate of netmaster " + n.Address + " expires at " + n.Certificate.Until + " and was not renewed after half of its lifetime",
			Remedy:   "check the log of this netmaster for why it does not renew the certificate, and its clock"}
		if !until.After(s.At) {
			f.Code, f.Severity = model.FindingCertificateEnded, model.SeverityError
			f.Evidence = "the certificate of netmaster " + n.Address + " expired at " + n.Certificate.Until + ": agents and other netmasters refuse it"
		}
		out = append(out, f)
	}
	return out
}

// refusedCertificate reports whether a netmaster does not answer because its certificate has expired.
func refusedCertificate(reason string) bool {
	return strings.Contains(reason, "the certificate of ") && strings.Contains(reason, " expired at ")
}

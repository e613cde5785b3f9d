// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"
	"crypto/x509"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// RenewEnded certifies another key of an agent whose certificate expired within trust.Grace, by a signature of the old key. The certificate
// must be the newest of the host and not revoked, and the host admitted and the same machine as then. It blocks until the store has it.
// Errors are *model.Error.
func (e *Enroller) RenewEnded(ctx context.Context, q model.RenewEndedRequest) (out model.RenewAnswer, rev uint64, err error) {
	a, err := e.authority()
	if err != nil {
		return out, 0, err
	}
	trusted, err := e.trusted()
	if err != nil {
		return out, 0, err
	}
	w := &wish{field: "request", text: q.Request}
	if w.request, err = trust.ParseRequest([]byte(q.Request)); err != nil {
		return out, 0, model.Errorf(model.CodeInvalid, "request", "%v", err).Try("netplugin makes one")
	}
	held, err := trust.ParseCertificates([]byte(q.Certificate))
	if err != nil {
		return out, 0, model.Errorf(model.CodeInvalid, "certificate", "%v", err).Because(err).Try("it is PEM")
	}
	if w.identity, err = trust.Vouched(held[0], w.request, q.Signature, trusted, e.Now()); err != nil {
		return out, 0, model.Errorf(model.CodeDenied, "certificate", "%v", err).Because(err).Try("join again: contiv join TOKEN@ADDRESS")
	}
	check := func(v *catalog.View) error { return e.renewable(v, w, held[0], q.Machine) }
	e.Catalog.View(func(v *catalog.View) { err = check(v) })
	if err != nil { // before anything is computed for it
		return out, 0, err
	}
	if err := e.issue(a, w, w.identity.String(), ""); err != nil {
		return out, 0, err
	}
	at, err := e.Commit.Join(ctx, func(tx *commit.Tx) error {
		if err := check(tx.View); err != nil {
			return err
		}
		return tx.Put(record.Certificates+w.record.Serial, &w.record)
	})
	if err != nil {
		return out, 0, err
	}
	e.Log.Info("renewed an expired certificate", "identity", w.identity.String(), "until", w.record.Until)
	text, err := e.Trust.Trusted()
	return model.RenewAnswer{Certificate: string(w.issued), Authority: string(text)}, uint64(at), err
}

// renewable refuses an expired certificate that is no agent's, is revoked or not the newest of its host, was not for the requested hosts,
// or comes from another machine than the admitted one.
func (e *Enroller) renewable(v *catalog.View, w *wish, held *x509.Certificate, machine string) error {
	denied := func(field, format string, args ...any) error {
		return model.Errorf(model.CodeDenied, field, format, args...).Try("join again: contiv join TOKEN@ADDRESS")
	}
	if w.identity.Role != trust.Agent {
		return denied("certificate", "a certificate that has ended renews itself only for an agent, not for %s", w.identity)
	}
	serial := trust.Serial(held)
	for _, c := range v.CertifiedAs(w.identity.String()) {
		switch {
		case c.Serial == serial && !c.Revoked.IsZero():
			return denied("certificate", "the certificate %s of %s is revoked", serial, w.identity)
		case c.Serial != serial && c.Until.After(held.NotAfter) && !(c.By == w.identity.String() && c.Request == record.Sum([]byte(w.text))):
			return denied("certificate", "%s has a newer certificate than %s", w.identity, serial)
		}
	}
	was := certified(held, w.identity)
	for _, host := range w.request.Hosts() {
		if !contains(was.Hosts, host) {
			return denied("request", "%s is not certified for %s", w.identity, host)
		}
	}
	h := v.Host(w.identity.Name)
	switch {
	case h == nil:
		return denied("certificate", "host %s is not part of the cluster", w.identity.Name)
	case h.Machine != machine:
		return denied("machine", "machine %.40q is not the one that is host %s", machine, w.identity.Name)
	}
	return nil
}

func contains(hosts []string, host string) bool {
	for _, h := range hosts {
		if strings.EqualFold(h, host) {
			return true
		}
	}
	return false
}

// agents reports whether a certificate is an agent's.
func agents(c *record.Certified) bool {
	return strings.HasPrefix(c.Identity, (trust.Identity{Role: trust.Agent}).String())
}

// newest reports whether its holder has no certificate that expires later.
func newest(v *catalog.View, c *record.Certified) bool {
	for _, other := range v.CertifiedAs(c.Identity) {
		if other.Until.After(c.Until) {
			return false
		}
	}
	return true
}

// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"
	"crypto/x509"
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// issue issues the requested certificate.
func (e *Enroller) issue(a *trust.Authority, w *wish, by, token string) error {
	c, err := a.Issue(w.request, w.identity, e.Now(), trust.Lifetime)
	if err != nil {
		return model.Errorf(model.CodeNotReady, "", "%v", err).Because(err)
	}
	w.issued = trust.CertificatePEM(c)
	w.record = certified(c, w.identity)
	w.record.Authority = a.Fingerprint()
	w.record.By, w.record.Token, w.record.Request, w.record.Issued = by, token, record.Sum([]byte(w.text)), e.now()
	return nil
}

// certified returns the record of a certificate.
func certified(c *x509.Certificate, who trust.Identity) record.Certified {
	out := record.Certified{Serial: trust.Serial(c), Identity: who.String(), Issued: c.NotBefore.UTC(), Until: c.NotAfter.UTC()}
	for _, name := range c.DNSNames {
		if name != trust.MasterName {
			out.Hosts = append(out.Hosts, name)
		}
	}
	for _, a := range c.IPAddresses {
		out.Hosts = append(out.Hosts, a.String())
	}
	return out
}

// replace records an issued certificate, and revokes the previous ones of the identity, except the one of the same request: its sender may
// have received it.
func (e *Enroller) replace(tx *commit.Tx, w *wish) error {
	for _, c := range tx.CertifiedAs(w.identity.String()) {
		if c.Request != w.record.Request {
			if err := e.revoke(tx, c, replaced); err != nil {
				return err
			}
		}
	}
	return tx.Put(record.Certificates+w.record.Serial, &w.record)
}

// Renew certifies another key of an authenticated identity, for hosts for which it was certified before. It blocks until the store has it.
// Errors are *model.Error.
func (e *Enroller) Renew(ctx context.Context, request string, proved trust.Identity) (out model.RenewAnswer, rev uint64, err error) {
	if proved.Role == "" {
		return out, 0, model.Errorf(model.CodeDenied, "", "who has no certificate has nothing to renew").Try("contiv join TOKEN@ADDRESS gives a host certificates")
	}
	a, err := e.authority()
	if err != nil {
		return out, 0, err
	}
	w := &wish{identity: proved, text: request}
	if w.request, err = trust.ParseRequest([]byte(request)); err != nil {
		return out, 0, model.Errorf(model.CodeInvalid, "request", "%v", err).Try("contiv cert renew makes one")
	}
	if err := e.issue(a, w, proved.String(), ""); err != nil {
		return out, 0, err
	}
	at, err := e.Commit.Join(ctx, func(tx *commit.Tx) error {
		if err := e.known(tx.View, w); err != nil {
			return err
		}
		if err := e.moderate(tx.View, w); err != nil {
			return err
		}
		return tx.Put(record.Certificates+w.record.Serial, &w.record)
	})
	if err != nil {
		return out, 0, err
	}
	trusted, err := e.Trust.Trusted()
	return model.RenewAnswer{Certificate: string(w.issued), Authority: string(trusted)}, uint64(at), err
}

// The maximum number of recorded certificates per identity, and the time after the newest in which it gets one more beyond these: at most
// one certificate a day until the first has expired.
const (
	maxCertificates = 16
	recordedAfter   = 24 * time.Hour
)

// moderate refuses another certificate to an identity with many recent ones: each is recorded, in every netmaster, until it has expired.
func (e *Enroller) moderate(v *catalog.View, w *wish) error {
	was := slices.DeleteFunc(v.CertifiedAs(w.identity.String()), func(c *record.Certified) bool { return !e.now().Before(c.Until) })
	if len(was) < maxCertificates {
		return nil
	}
	if next := was[len(was)-1].Issued.Add(recordedAfter); e.now().Before(next) {
		return model.Errorf(model.CodeBusy, "", "%s has had %d certificates that have not ended", w.identity, len(was)).
			Try("the one that it has lasts; another is issued from %s on; find out who asks for that many", next.Format("2006-01-02 15:04 MST"))
	}
	return nil
}

// known refuses hosts that none of the holder's certificates had, and holders all of whose certificates are revoked.
func (e *Enroller) known(v *catalog.View, w *wish) error {
	was := v.CertifiedAs(w.identity.String())
	if len(was) == 0 { // it was certified before certificates were recorded
		return nil
	}
	valid := slices.DeleteFunc(was, func(c *record.Certified) bool { return !c.Valid(e.now()) })
	if len(valid) == 0 {
		return model.Errorf(model.CodeDenied, "", "all certificates of %s are revoked or have ended", w.identity).Try("join again: contiv join TOKEN@ADDRESS")
	}
	for _, host := range w.record.Hosts {
		if !slices.ContainsFunc(valid, func(c *record.Certified) bool { return slices.Contains(c.Hosts, host) }) {
			return model.Errorf(model.CodeDenied, "request", "%s is not certified for %s", w.identity, host).Try("have the host join again to be reached under another name or address: contiv join TOKEN@ADDRESS")
		}
	}
	return nil
}

// maxRecorded bounds the certificates of one request.
const maxRecorded = 64

// Record records certificates that someone with the authority's key has issued: those of the first host. It blocks until the store has
// them. Errors are *model.Error.
func (e *Enroller) Record(ctx context.Context, text string, proved trust.Identity) (uint64, error) {
	trusted, err := e.trusted()
	if err != nil {
		return 0, err
	}
	all, err := trust.ParseCertificates([]byte(text))
	if err != nil || len(all) > maxRecorded {
		return 0, model.Errorf(model.CodeInvalid, "certificates", "they are not from 1 to %d certificates", maxRecorded).Because(err).Try("they are PEM")
	}
	var notes []record.Certified
	for _, c := range all {
		who, err := trust.Of(c)
		if err == nil && !slices.ContainsFunc(trusted, func(a *x509.Certificate) bool { return c.CheckSignatureFrom(a) == nil }) {
			err = model.Errorf(model.CodeInvalid, "certificates", "the authority of this cluster has not issued that of %s", who)
		}
		if err != nil {
			return 0, model.Errorf(model.CodeInvalid, "certificates", "%v", err).Because(err).Try("contiv cert show prints what a certificate says")
		}
		n := certified(c, who)
		n.By, n.Authority = requester(ctx, proved), trust.SignerOf(c, trusted)
		notes = append(notes, n)
	}
	at, err := e.Commit.Join(ctx, func(tx *commit.Tx) error {
		for i := range notes {
			if tx.Certified(notes[i].Serial) != nil {
				continue
			}
			if err := tx.Put(record.Certificates+notes[i].Serial, &notes[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return uint64(at), err
}

// trusted returns the authority's certificates.
func (e *Enroller) trusted() ([]*x509.Certificate, error) {
	if _, err := e.authority(); err != nil {
		return nil, err
	}
	text, err := e.Trust.Trusted()
	if err != nil {
		return nil, err
	}
	return trust.ParseCertificates(text)
}

// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// Revoke revokes one certificate, or all of an identity, and returns their serials. Revoked certificates stay revoked. It blocks until the
// store has it. Errors are *model.Error.
func (e *Enroller) Revoke(ctx context.Context, q model.RevokeRequest, proved trust.Identity) (serials []string, rev uint64, err error) {
	if (q.Serial == "") == (q.Identity == "") {
		return nil, 0, model.Errorf(model.CodeInvalid, "serial", "one of serial and identity is given").Try("contiv cert ls shows both")
	}
	if q.Identity != "" {
		u, err := url.Parse(q.Identity)
		if err == nil {
			_, err = trust.Parse(u)
		}
		if err != nil {
			return nil, 0, model.Errorf(model.CodeInvalid, "identity", "%v", err).Try("contiv cert ls shows the identities")
		}
	}
	at, err := e.Commit.Join(ctx, func(tx *commit.Tx) error {
		serials = []string{}
		which := tx.CertifiedAs(q.Identity)
		if q.Serial != "" {
			which = []*record.Certified{tx.Certified(q.Serial)}
		}
		which = slices.DeleteFunc(which, func(c *record.Certified) bool { return c == nil })
		if len(which) == 0 {
			return model.Errorf(model.CodeNotFound, "serial", "no certificate %s%s is known", q.Serial, q.Identity).Try("contiv cert ls shows those that are; one that has expired is forgotten")
		}
		if err := e.left(tx.View, which); err != nil {
			return err
		}
		for _, c := range which {
			serials = append(serials, c.Serial)
			if err := e.revoke(tx, c, requester(ctx, proved)); err != nil {
				return err
			}
		}
		return nil
	})
	return serials, uint64(at), err
}

// left refuses a revocation that would leave no netmaster with a valid certificate: none could lead, or certify another.
func (e *Enroller) left(v *catalog.View, which []*record.Certified) error {
	revokes := false
	for _, c := range v.Certificates() {
		if u, err := url.Parse(c.Identity); err != nil || !c.Valid(e.now()) {
			continue
		} else if who, err := trust.Parse(u); err != nil || who.Role != trust.Master {
			continue
		}
		if !slices.Contains(which, c) {
			return nil
		}
		revokes = true
	}
	if revokes {
		return model.Errorf(model.CodeInUse, "serial", "no netmaster would be left with a certificate that counts, so that no one could lead").
			Try("have another netmaster join first, with contiv join --master TOKEN@ADDRESS")
	}
	return nil
}

// revoke records that a certificate is invalid, and cannot be renewed after its end.
func (e *Enroller) revoke(tx *commit.Tx, was *record.Certified, by string) error {
	if !was.Revoked.IsZero() || !e.now().Before(was.Until.Add(trust.Grace)) {
		return nil
	}
	c := *was
	c.Revoked, c.RevokedBy = e.now(), by
	return tx.Put(record.Certificates+c.Serial, &c)
}

// Dismiss revokes all certificates of an identity, and returns their serials. An identity without certificates is success.
func (e *Enroller) Dismiss(ctx context.Context, who trust.Identity, proved trust.Identity) (serials []string, rev uint64, err error) {
	at, err := e.Commit.Join(ctx, func(tx *commit.Tx) error {
		serials = []string{}
		for _, c := range tx.CertifiedAs(who.String()) {
			if !c.Revoked.IsZero() {
				continue
			}
			serials = append(serials, c.Serial)
			if err := e.revoke(tx, c, requester(ctx, proved)); err != nil {
				return err
			}
		}
		return nil
	})
	return serials, uint64(at), err
}

// followInterval is the maximum time between two checks of Follow.
const followInterval = time.Second

// FollowRevocations reports the serials of revoked certificates, now and after each change, until ctx ends. It blocks until then.
func FollowRevocations(ctx context.Context, known *catalog.Catalog, revoked func(serials []string)) {
	sub := known.Subscribe()
	defer sub.Close()
	var told []string
	for range sub.Changes(ctx, followInterval) {
		serials := []string{}
		known.View(func(v *catalog.View) {
			for _, c := range v.Revoked() {
				serials = append(serials, c.Serial)
			}
		})
		if told == nil || !slices.Equal(told, serials) {
			told = serials
			revoked(serials)
		}
	}
}

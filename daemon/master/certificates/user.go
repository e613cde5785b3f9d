// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"context"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

// How often netmaster looks whether the user's certificate on its host is due, and how long it waits after a failure.
const (
	userLook  = time.Hour
	userRetry = 10 * time.Second
)

// certifier is what the renewal of a user's certificate asks of the leader.
type certifier interface {
	Certificates(ctx context.Context) ([]model.CertificateInfo, error)
	RecordCertificates(ctx context.Context, request model.RecordRequest) error
}

// keepUser renews the user's certificate that contiv init left on this host, by the authority's key beside it, whenever half of its time is over, also after
// its end: an operator on the host is never without one. A revoked certificate is not renewed. It blocks until ctx ends.
func (c *Own) keepUser(ctx context.Context, log *slog.Logger) {
	way := &http.Transport{TLSClientConfig: c.Holder.Client(trust.Master, ""), DisableKeepAlives: true}
	leader := &client.Client{Base: "https://" + c.Internal, HTTP: &http.Client{Transport: way}, Program: "netmaster"}
	for {
		pause := userLook
		until, err := renewUser(ctx, c.Holder.Dir(), leader, time.Now())
		switch {
		case err != nil && ctx.Err() == nil:
			log.Warn("the user's certificate of this host is not renewed; trying again", "retry", userRetry, "error", err)
			pause = userRetry
		case !until.IsZero():
			log.Info("the user's certificate of this host is renewed", "until", until)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// renewUser renews the user's certificate in a directory when it is due at a time, and returns until when the new one counts; the zero Time: there is none, or it
// is not due. It blocks until the leader has the new certificate listed.
func renewUser(ctx context.Context, dir trust.Dir, leader certifier, now time.Time) (until time.Time, err error) {
	if !dir.Has(trust.User) {
		return time.Time{}, nil
	}
	h, err := trust.Open(dir, trust.User)
	if err != nil || now.Before(trust.Due(h.Certificate())) && !replaced(dir, h) {
		return time.Time{}, err
	}
	limited, cancel := context.WithTimeout(ctx, renewTimeout)
	defer cancel()
	if err := counts(limited, leader, h.Certificate()); err != nil {
		return time.Time{}, err
	}
	err = h.RenewNow(limited, func(ctx context.Context, r *trust.Request) ([]byte, error) {
		a, err := dir.Authority()
		if err != nil {
			return nil, err
		}
		made, err := a.Issue(r, h.Identity(), now, trust.Lifetime)
		if err != nil {
			return nil, err
		}
		text := trust.CertificatePEM(made)
		return text, leader.RecordCertificates(ctx, model.RecordRequest{Certificates: string(text)})
	})
	if err != nil {
		return time.Time{}, err
	}
	return h.Certificate().NotAfter, nil
}

// replaced reports whether another authority signs now than the one that has certified a holder.
func replaced(dir trust.Dir, h *trust.Holder) bool {
	a, err := dir.Authority()
	return err == nil && h.Signer() != a.Fingerprint()
}

// counts refuses a certificate that is revoked.
func counts(ctx context.Context, leader certifier, c *x509.Certificate) error {
	all, err := leader.Certificates(ctx)
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.Serial == trust.Serial(c) && !one.Revoked.IsZero() {
			return fmt.Errorf("the certificate %s of %s is revoked: contiv cert renew user makes another, or remove its file", one.Serial, one.Identity)
		}
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"context"
	"crypto/x509"
	"fmt"
	"log/slog"
	"time"
)

// Sign has an authority certify a request, and returns the certificate as PEM.
type Sign func(ctx context.Context, r *Request) ([]byte, error)

// The pauses between two attempts to renew: of a valid certificate, and of an expired one, whose holder can do nothing until it is
// renewed.
const (
	renewPause = time.Minute
	endedPause = 5 * time.Second
)

// Due returns when a certificate is to be renewed: after half of its lifetime.
func Due(c *x509.Certificate) time.Time {
	return c.NotBefore.Add(c.NotAfter.Sub(c.NotBefore) / 2)
}

// Renew requests a new certificate, with a new key, whenever the holder's is due. It retries after failures, and blocks until ctx
// ends.
func (h *Holder) Renew(ctx context.Context, sign Sign, log *slog.Logger) {
	for {
		pause := max(Due(h.Certificate()).Sub(h.now()), 0)
		if pause == 0 {
			err := h.RenewNow(ctx, sign)
			c := h.Certificate()
			switch {
			case err == nil:
				log.Info("certificate renewed", "identity", h.Identity().String(), "until", c.NotAfter)
				continue
			case ctx.Err() == nil:
				log.Warn("the certificate cannot be renewed; retrying", "identity", h.Identity().String(), "until", c.NotAfter, "error", err)
			}
			pause = renewPause
			if h.Ended() {
				pause = endedPause
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(pause, renewLook)):
		}
	}
}

// renewLook is the interval at which Renew checks whether the certificate is due: files and clocks may change.
const renewLook = time.Hour

// RenewNow requests a new certificate for the hosts of the current one, and saves and uses it. It blocks until netmaster has
// answered.
func (h *Holder) RenewNow(ctx context.Context, sign Sign) error {
	old := h.Certificate()
	hosts := append([]string{}, old.DNSNames...)
	for _, a := range old.IPAddresses {
		hosts = append(hosts, a.String())
	}
	r, err := NewRequest(hosts...)
	if err != nil {
		return err
	}
	certificate, err := sign(ctx, r)
	if err != nil {
		return err
	}
	pair, err := r.Pair(certificate)
	if err != nil {
		return fmt.Errorf("the certificate from netmaster: %w", err)
	}
	if err := h.dir.SavePair(h.role, pair); err != nil {
		return err
	}
	return h.Reload()
}

package trust

import (
	"context"
	"crypto/x509"
	"fmt"
	"log/slog"
	"time"
)

// Sign has a request certified, and returns the certificate as PEM.
type Sign func(ctx context.Context, r *Request) ([]byte, error)

// How long a holder waits between two tries, and how long one whose certificate has ended does, who can do nothing meanwhile.
const (
	renewPause = time.Minute
	endedPause = 5 * time.Second
)

// Due is when a certificate is renewed: when half of its time is over.
func Due(c *x509.Certificate) time.Time {
	return c.NotBefore.Add(c.NotAfter.Sub(c.NotBefore) / 2)
}

// Renew asks for a new certificate, with a new key, whenever the holder's is due, until ctx ends. It blocks until then.
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
				log.Warn("cannot renew the certificate; retrying", "identity", h.Identity().String(), "until", c.NotAfter, "error", err)
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

// renewLook is how often it is looked whether the certificate is due: files may have changed, and clocks.
const renewLook = time.Hour

// RenewNow asks for a new certificate for the hosts of the old one, and holds it from then on. It blocks until then.
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
		return fmt.Errorf("what netmaster has certified: %w", err)
	}
	if err := h.dir.SavePair(h.role, pair); err != nil {
		return err
	}
	return h.Reload()
}

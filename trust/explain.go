// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// explained adds to a verification error what is wrong with the certificate and what an operator can do.
func explained(err error, c *x509.Certificate, at time.Time) error {
	who := c.Subject.CommonName
	if i, err := Of(c); err == nil {
		who = i.String()
	}
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	switch {
	case at.Before(c.NotBefore):
		return fmt.Errorf("the certificate of %s is valid from %s, and this host's clock shows %s: set the clock of this host, or of the one that issued it: %w", who, clock(c.NotBefore), clock(at), err)
	case at.After(c.NotAfter):
		return fmt.Errorf("the certificate of %s expired at %s, and this host's clock shows %s: if the clock is right, join that host again (contiv join): %w", who, clock(c.NotAfter), clock(at), err)
	case errors.As(err, &unknown):
		return fmt.Errorf("%s is not certified by this cluster's authority; is it of another cluster? %w", who, err)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired: // the authority
		return fmt.Errorf("the authority of %s is not valid at %s, by this host's clock: %w", who, clock(at), err)
	}
	return fmt.Errorf("the certificate of %s is not valid here: %w", who, err)
}

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Explain returns next with its connection errors explained by Refused.
func (h *Holder) Explain(next http.RoundTripper) http.RoundTripper { return explaining{next, h} }

type explaining struct {
	http.RoundTripper
	holder *Holder
}

// RoundTrip sends a request and returns the response.
func (e explaining) RoundTrip(q *http.Request) (*http.Response, error) {
	answer, err := e.RoundTripper.RoundTrip(q)
	if ended(err) {
		err = cmp.Or(e.holder.knock(q.Context(), q.URL.Host), err)
	}
	return answer, e.holder.Refused(err)
}

// ended reports whether the peer has closed the connection before anything was read from it.
func ended(err error) bool {
	for _, end := range []error{syscall.EPIPE, syscall.ECONNRESET, net.ErrClosed, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// knockTimeout is how long a netmaster may take to refuse a certificate.
const knockTimeout = 500 * time.Millisecond

// knock returns the reason for which a netmaster closes connections, or nil if it reports none. Under TLS 1.3 a client completes
// its handshake before the server verifies its certificate, so a refused client may see only that its writes fail.
func (h *Holder) knock(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, knockTimeout)
	defer cancel()
	nc, err := (&tls.Dialer{Config: h.Client(Master, "")}).DialContext(ctx, "tcp", address)
	if err == nil {
		defer func() { _ = nc.Close() }()
		_ = nc.SetReadDeadline(time.Now().Add(knockTimeout))
		_, err = nc.Read(make([]byte, 1))
	}
	if err == nil || !strings.Contains(err.Error(), alert) {
		return nil
	}
	return err
}

// alert is the prefix of an error that the peer of a TLS connection has sent.
const alert = "remote error: tls:"

// CloseIdleConnections closes the idle connections of the wrapped transport.
func (e explaining) CloseIdleConnections() {
	if c, ok := e.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// Refused explains an error with which the peer refuses our certificate, and returns other errors unchanged: TLS reports only a
// short reason (RFC 8446, section 6.2).
func (h *Holder) Refused(err error) error {
	if err == nil || !strings.Contains(err.Error(), alert) {
		return err
	}
	c := h.Certificate()
	switch {
	case strings.Contains(err.Error(), "expired certificate"):
		return fmt.Errorf("the other end considers our certificate of %s not valid now; it is valid from %s to %s, and this host's clock shows %s: compare the clocks of both: %w",
			h.Identity(), clock(c.NotBefore), clock(c.NotAfter), clock(h.now()), err)
	case strings.Contains(err.Error(), "unknown certificate authority"):
		return fmt.Errorf("the other end does not know the authority of our certificate of %s; is it of another cluster? %w", h.Identity(), err)
	case strings.Contains(err.Error(), "bad certificate"):
		return fmt.Errorf("the other end refuses our certificate of %s, whose serial is %s; its log has the reason (revoked, or of the wrong role): %w", h.Identity(), Serial(c), err)
	}
	return err
}

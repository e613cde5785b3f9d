// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"sync"
	"time"
)

// Server returns the holder's TLS configuration as a server. A client must prove one of the roles. Without roles a client may
// connect without a certificate, and the caller authenticates it by other means. Revoke closes connections of listeners that Listen
// has wrapped.
func (h *Holder) Server(roles ...Role) *tls.Config {
	base := &tls.Config{MinVersion: tls.VersionTLS12, ClientAuth: tls.RequestClientCert, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		pair := h.current().pair
		return &pair, nil
	}}
	if len(roles) > 0 {
		base.ClientAuth = tls.RequireAnyClientCert
	}
	base.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		now := h.current()
		out := base.Clone()
		out.GetConfigForClient = nil
		// The standard verification fills VerifiedChains; verify adds the checks that it does not have.
		out.ClientCAs, out.Time = now.roots, h.now
		out.ClientAuth = tls.VerifyClientCertIfGiven
		if len(roles) > 0 {
			out.ClientAuth = tls.RequireAndVerifyClientCert
		}
		out.SessionTicketsDisabled = true // a resumed session would skip verification
		out.VerifyConnection = func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 {
				return nil
			}
			if _, err := h.verify(s.PeerCertificates, x509.ExtKeyUsageClientAuth, oneOf(roles)); err != nil {
				return err
			}
			return h.remember(hello.Conn, s.PeerCertificates[0])
		}
		return out, nil
	}
	return base
}

// Client returns the holder's TLS configuration as a client of a server that must prove a role, and a name unless it is "".
func (h *Holder) Client(role Role, name string) *tls.Config {
	c := h.clientConfig(role, name)
	c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		pair := h.current().pair
		return &pair, nil
	}
	return c
}

// clientConfig returns a TLS configuration that verifies the server's role and name, and shows no certificate.
func (h *Holder) clientConfig(role Role, name string) *tls.Config {
	return Trusting(func(chain []*x509.Certificate) error {
		_, err := h.verify(chain, x509.ExtKeyUsageServerAuth, func(i Identity) error {
			if i.Role != role || name != "" && i.Name != name {
				return fmt.Errorf("server: got %s, want %s", i, Identity{role, name})
			}
			return nil
		})
		return err
	})
}

// Visitor returns the TLS configuration of a client without a certificate, for netmasters whose certificates one of trusted has
// signed.
func Visitor(trusted []*x509.Certificate) *tls.Config {
	h := &Holder{now: time.Now, held: held{roots: x509.NewCertPool()}}
	for _, c := range trusted {
		h.held.roots.AddCert(c)
	}
	return Trusting(func(chain []*x509.Certificate) error {
		_, err := h.verify(chain, x509.ExtKeyUsageServerAuth, oneOf([]Role{Master}))
		return err
	})
}

// Pinned returns the TLS configuration of a client that knows only the fingerprint of a netmaster's authority. It calls trusted
// with the authority's certificate once a netmaster has proved itself by it.
func Pinned(fingerprint string, trusted func(*x509.Certificate)) *tls.Config {
	return Trusting(func(chain []*x509.Certificate) error {
		for _, c := range chain[1:] {
			if Fingerprint(c) != fingerprint {
				continue
			}
			h := &Holder{now: time.Now, held: held{roots: x509.NewCertPool()}}
			h.held.roots.AddCert(c)
			if _, err := h.verify(chain, x509.ExtKeyUsageServerAuth, oneOf([]Role{Master})); err != nil {
				return err
			}
			trusted(c)
			return nil
		}
		return fmt.Errorf("the netmaster belongs to another cluster than the token: its authority is not %.16s...; create a token with contiv token create on a host of that cluster", fingerprint)
	})
}

// Trusting returns a client's TLS configuration in which verify checks the server's certificates, instead of the machine's root
// certificates.
func Trusting(verify func(chain []*x509.Certificate) error) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true, VerifyConnection: func(s tls.ConnectionState) error { return verify(s.PeerCertificates) }}
}

// Listen wraps l and records the client certificate of each connection. The caller serves the connections with the configuration of
// Server.
func (h *Holder) Listen(l net.Listener) net.Listener { return &listener{l, h} }

type listener struct {
	net.Listener
	holder *Holder
}

// Accept waits for a connection and returns it.
func (l *listener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.holder.track(nc), nil
}

// track wraps a connection so that Revoke can close it once remember has recorded its certificate.
func (h *Holder) track(nc net.Conn) *conn {
	c := &conn{Conn: nc}
	c.forget = sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.open, c)
	})
	return c
}

// conn is a connection whose peer certificate is recorded.
type conn struct {
	net.Conn
	serial string // guarded by the holder's mutex
	forget func()
}

// remember records the certificate that a connection's peer has shown. It returns an error if the certificate was revoked after its
// verification, when Revoke did not know the connection yet.
func (h *Holder) remember(nc net.Conn, shown *x509.Certificate) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.refused(shown); err != nil {
		return err
	}
	if c, ok := nc.(*conn); ok {
		c.serial = Serial(shown)
		h.open[c] = struct{}{}
	}
	return nil
}

// refused returns an error if a certificate is revoked. The caller holds h.mu.
func (h *Holder) refused(c *x509.Certificate) error {
	if _, revoked := h.revoked[Serial(c)]; !revoked {
		return nil
	}
	who, err := Of(c)
	if err != nil {
		return err
	}
	return fmt.Errorf("the certificate %s of %s is revoked", Serial(c), who)
}

// Close closes the connection.
func (c *conn) Close() error {
	c.forget()
	return c.Conn.Close()
}

// CloseWrite closes the sending direction, if the connection supports it.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

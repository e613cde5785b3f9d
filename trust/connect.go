package trust

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"sync"
	"time"
)

// Server returns the TLS configuration of a server of the holder. A client must prove one of the roles; without roles, a client
// certificate is optional. Revoke ends connections of listeners that Listen has wrapped.
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
		// The standard check makes VerifiedChains; what it cannot say is added by verify.
		out.ClientCAs, out.Time = now.roots, h.now
		out.ClientAuth = tls.VerifyClientCertIfGiven
		if len(roles) > 0 {
			out.ClientAuth = tls.RequireAndVerifyClientCert
		}
		out.SessionTicketsDisabled = true // who resumes a session is not judged again
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

// Client is how the holder speaks TLS to a server that has to prove a role, and a name of that role unless it is "".
func (h *Holder) Client(role Role, name string) *tls.Config {
	c := h.asks(role, name)
	c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		pair := h.current().pair
		return &pair, nil
	}
	return c
}

// asks is how the holder judges the server of a connection.
func (h *Holder) asks(role Role, name string) *tls.Config {
	return Trusting(func(chain []*x509.Certificate) error {
		_, err := h.verify(chain, x509.ExtKeyUsageServerAuth, func(i Identity) error {
			if i.Role != role || name != "" && i.Name != name {
				return fmt.Errorf("%s answers where %s was expected", i, Identity{role, name})
			}
			return nil
		})
		return err
	})
}

// Visitor is how one who holds no certificate speaks TLS to netmasters of the cluster whose authority's certificates these are.
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

// Pinned returns the TLS configuration of a client that knows only the fingerprint of the cluster's authority. It calls trusted with the
// authority's certificate when a netmaster has authenticated with it.
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
		return fmt.Errorf("the netmaster belongs to another cluster than the token: its authority is not %.16s...; make a token with contiv token create on a host of that cluster", fingerprint)
	})
}

// Trusting is a client's configuration of TLS in which verify judges the certificates that a server shows, in place of the machine's authorities.
func Trusting(verify func(chain []*x509.Certificate) error) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true, VerifyConnection: func(s tls.ConnectionState) error { return verify(s.PeerCertificates) }}
}

// Listen is l, of whose connections the holder knows which certificate they were made with. They are served with the configuration of Server.
func (h *Holder) Listen(l net.Listener) net.Listener { return &listener{l, h} }

type listener struct {
	net.Listener
	holder *Holder
}

// Accept waits for a connection.
func (l *listener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.holder.track(nc), nil
}

// track is a connection that Revoke may end, once remember has said with which certificate it was made.
func (h *Holder) track(nc net.Conn) *conn {
	c := &conn{Conn: nc}
	c.forget = sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.open, c)
	})
	return c
}

// conn is a connection of which the certificate of its other end is known.
type conn struct {
	net.Conn
	serial string // guarded by the holder's mutex
	forget func()
}

// remember notes which certificate the other end of a connection has shown. It refuses one that has been revoked since it was verified, whose
// connection Revoke has not found.
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

// refused says that a certificate is revoked; nil: it is not. h.mu is held.
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

// CloseWrite says that nothing more is sent.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

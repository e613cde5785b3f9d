// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"time"

	"github.com/contiv/contiv/trust"
)

// maxConnections limits the connections that a listener accepts, including those without its code.
const maxConnections = 64

// Listener waits for one session.
type Listener struct {
	tcp    net.Listener
	secure *tls.Config
	code   Code
}

// Listen listens at an address for one session. Close it.
func Listen(ctx context.Context, at netip.AddrPort, now time.Time) (*Listener, error) {
	certificate, err := selfSigned(now)
	if err != nil {
		return nil, err
	}
	l, err := (&net.ListenConfig{Control: smallSegments}).Listen(ctx, "tcp", at.String())
	if err != nil {
		return nil, err
	}
	bound, err := netip.ParseAddrPort(l.Addr().String())
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &Listener{l, &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate}},
		Code{trust.NewToken(trust.Fingerprint(certificate.Leaf)), bound}}, nil
}

// selfSigned returns a certificate for one session.
func selfSigned(now time.Time) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	t := &x509.Certificate{SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "contiv preflight"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	leaf, err := x509.ParseCertificate(der)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, err
}

// Code returns the code with which the other machine connects.
func (l *Listener) Code() Code { return l.code }

// Close closes the port.
func (l *Listener) Close() error { return l.tcp.Close() }

// Serve blocks until one session has ended, and returns its report. Connections without the code are closed and ignored. The error is that
// of ctx if it ends first.
func (l *Listener) Serve(ctx context.Context, socket Socket, self Side) (Report, error) {
	stop := context.AfterFunc(ctx, func() { _ = l.tcp.Close() })
	defer stop()
	for range maxConnections {
		conn, err := l.tcp.Accept()
		if err != nil {
			return Report{}, errors.Join(ctx.Err(), err)
		}
		r, err := l.accepted(ctx, conn, socket, self)
		_ = conn.Close()
		if !errors.Is(err, errCode) {
			return r, err
		}
	}
	return Report{}, fmt.Errorf("%d connections had another code: run contiv preflight --listen again", maxConnections)
}

// accepted runs the listener's end of a session. It returns errCode if the other end does not prove that it has the code.
func (l *Listener) accepted(ctx context.Context, plain net.Conn, socket Socket, self Side) (Report, error) {
	if err := plain.SetDeadline(time.Now().Add(dialTimeout)); err != nil {
		return Report{}, errors.Join(errCode, err)
	}
	conn := tls.Server(plain, l.secure)
	if err := conn.HandshakeContext(ctx); err != nil {
		return Report{}, errors.Join(errCode, err)
	}
	s, err := newSession(ctx, conn, socket)
	if err == nil {
		err = conn.SetDeadline(time.Now().Add(dialTimeout))
	}
	if err != nil {
		return Report{}, errors.Join(errCode, err)
	}
	hello, err := s.receive()
	if err != nil || subtle.ConstantTimeCompare([]byte(hello.Secret), []byte(l.code.secret())) != 1 {
		return Report{}, errors.Join(errCode, err)
	}
	if err := conn.SetDeadline(time.Now().Add(maxSession)); err != nil {
		return Report{}, err
	}
	return s.listened(&hello, self)
}

// listened runs the listener's end after the other has proved itself.
func (s *session) listened(hello *message, self Side) (Report, error) {
	r := Report{Peer: hello.Host, Address: s.remote, Filter: hello.Filter}
	if err := s.setSize(self.MTU, hello.MTU); err != nil {
		return r, err
	}
	r.Size, s.key = s.size, make([]byte, 32)
	_, _ = rand.Read(s.key) // never fails
	if err := s.send(message{Host: self.Host, MTU: self.MTU, Now: self.Now(), Key: s.key, Filter: self.Filter}); err != nil {
		return r, err
	}
	var err error
	if r.In, err = s.incoming(toListener); err != nil {
		return r, err
	}
	if err := s.send(message{Small: r.In.Small, Large: r.In.Large}); err != nil {
		return r, err
	}
	sent := message{Sent: true}
	if err := s.sendAll(toDialer); err != nil {
		sent.Error = err.Error()
	}
	if err := s.send(sent); err != nil {
		return r, err
	}
	got, err := s.receive()
	r.Out = Direction{Small: got.Small, Large: got.Large, Error: sent.Error}
	return r, err
}

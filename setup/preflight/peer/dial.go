// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/contiv/contiv/trust"
)

// Code is what contiv preflight --listen prints: CREDENTIAL@ADDRESS.
type Code struct {
	credential trust.Token
	address    netip.AddrPort
}

// ParseCode parses a code.
func ParseCode(text string) (Code, error) {
	credential, address, ok := strings.Cut(text, "@")
	if !ok {
		return Code{}, fmt.Errorf("got %.20q..., want CODE@ADDRESS, as contiv preflight --listen prints it", text)
	}
	t, err := trust.ParseToken(credential)
	if err != nil {
		return Code{}, fmt.Errorf("got %.20q..., want CODE@ADDRESS, as contiv preflight --listen prints it", text)
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return Code{}, fmt.Errorf("address of the code: %w", err)
	}
	return Code{t, at}, nil
}

// String encodes the code in the format of ParseCode.
func (c Code) String() string { return c.credential.String() + "@" + c.address.String() }

// secret returns the text that the dialer sends.
func (c *Code) secret() string { return base64.RawStdEncoding.EncodeToString(c.credential.Secret[:]) }

// Dial connects to a listener from this machine's tunnel address, and exchanges packets with it. It blocks for up to 20 seconds.
func Dial(ctx context.Context, c Code, own netip.Addr, socket Socket, self Side) (Report, error) {
	secure := trust.Trusting(func(chain []*x509.Certificate) error {
		if len(chain) == 0 || trust.Fingerprint(chain[0]) != c.credential.Pin {
			return fmt.Errorf("%s is not the machine that printed the code", c.address)
		}
		return nil
	})
	dialer := tls.Dialer{NetDialer: &net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(own, 0)), Timeout: dialTimeout, Control: smallSegments}, Config: secure}
	conn, err := dialer.DialContext(ctx, "tcp", c.address.String())
	if err != nil {
		return Report{}, fmt.Errorf("connect to the peer: %w", err)
	}
	defer func() { _ = conn.Close() }()
	s, err := newSession(ctx, conn, socket)
	if err != nil {
		return Report{}, err
	}
	return s.dialed(&c, self)
}

// dialed runs the dialer's end of a session.
func (s *session) dialed(c *Code, self Side) (Report, error) {
	begun := self.Now()
	if err := s.send(message{Secret: c.secret(), Host: self.Host, MTU: self.MTU, Filter: self.Filter}); err != nil {
		return Report{}, err
	}
	welcome, err := s.receive()
	if err != nil {
		return Report{}, fmt.Errorf("the peer ended the connection: %w", err)
	}
	ended := self.Now()
	r := Report{Peer: welcome.Host, Address: s.remote, Filter: welcome.Filter, ClockLead: begun.Add(ended.Sub(begun) / 2).Round(0).Sub(welcome.Now)}
	if err := s.setSize(self.MTU, welcome.MTU); err != nil {
		return r, err
	}
	r.Size, s.key = s.size, welcome.Key
	sent := message{Sent: true}
	if err := s.sendAll(toListener); err != nil {
		sent.Error = err.Error()
	}
	if err := s.send(sent); err != nil {
		return r, err
	}
	got, err := s.receive()
	if err != nil {
		return r, fmt.Errorf("the peer reported no packets: %w", err)
	}
	r.Out = Direction{Small: got.Small, Large: got.Large, Error: sent.Error}
	if r.In, err = s.incoming(toDialer); err != nil {
		return r, err
	}
	return r, s.send(message{Small: r.In.Small, Large: r.In.Large, Done: true})
}

// incoming counts the packets that the other end sends, until a second after it has reported that all are sent.
func (s *session) incoming(direction byte) (d Direction, err error) {
	stop, counted := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(counted)
		d.Small, d.Large = s.collect(direction, stop)
	}()
	sent, err := s.receive()
	if err == nil {
		select {
		case <-counted:
		case <-time.After(waitTimeout):
		}
	}
	close(stop)
	<-counted
	d.Error = sent.Error
	return d, err
}

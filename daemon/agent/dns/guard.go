// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/miekg/dns"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// guard is a listener that accepts connections of endpoints that have a share left. It closes them when ctx ends.
type guard struct {
	net.Listener
	ctx context.Context
	r   *Responder
}

// Accept waits for the next accepted connection. It fails only if the listener is closed.
func (g *guard) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil, err
		}
		if err != nil {
			g.r.o.Log.Warn("DNS over TCP failed", "error", err)
			select {
			case <-g.ctx.Done():
				return nil, g.ctx.Err()
			case <-time.After(listenAgain):
			}
			continue
		}
		s, err := g.admit(c)
		if err == nil {
			return s, nil
		}
		g.r.o.Log.Debug("DNS connection failed", "from", c.RemoteAddr(), "error", err)
		_ = c.Close()
	}
}

var (
	errStranger = errors.New("it is not an endpoint's private address")
	errTooMany  = errors.New("too many connections, or questions, of this endpoint or of its tenant")
)

func (g *guard) admit(c net.Conn) (*stream, error) {
	asker, ok := g.r.requester(c.RemoteAddr())
	if !ok {
		return nil, errStranger
	}
	release, ok := g.r.streams.acquire(asker)
	if !ok {
		g.r.excess.Add(1)
		return nil, errTooMany
	}
	s := &stream{Conn: c, requester: asker, release: sync.OnceFunc(release)}
	s.forget = context.AfterFunc(g.ctx, func() { _ = s.Conn.Close() })
	return s, nil
}

// stream is an endpoint's connection with its share, which is released when the connection ends.
type stream struct {
	net.Conn
	requester Requester
	release   func()
	forget    func() bool
}

// origin is a stream's remote address and its owner when the stream was accepted.
type origin struct {
	net.Addr
	Requester
}

// RemoteAddr returns an origin.
func (s *stream) RemoteAddr() net.Addr { return origin{s.Conn.RemoteAddr(), s.requester} }

// SetReadDeadline also limits the answer: dns.Server sets no deadline for writing.
func (s *stream) SetReadDeadline(t time.Time) error { return s.SetDeadline(t) }

// Close ends the connection.
func (s *stream) Close() error {
	s.forget()
	s.release()
	return s.Conn.Close()
}

// metered reads the messages of an endpoint's stream, whatever their content, within the endpoint's limit.
type metered struct {
	dns.Reader
	r *Responder
}

// ReadTCP returns the next message. After an error, the server closes the connection.
func (m metered) ReadTCP(c net.Conn, timeout time.Duration) ([]byte, error) {
	question, err := m.Reader.ReadTCP(c, timeout)
	if err != nil {
		return nil, err
	}
	m.r.questions.Add(1)
	from := c.RemoteAddr().(origin)
	if now, ok := m.r.requester(from); !ok || now != from.Requester {
		return nil, errStranger // the endpoint is gone, and another one may have its address
	}
	if !m.r.admits(from.Requester) {
		m.r.excess.Add(1)
		return nil, errTooMany
	}
	return question, nil
}

// requester returns the current owner of a private address.
func (r *Responder) requester(remote net.Addr) (a Requester, ok bool) {
	from, err := netip.ParseAddrPort(remote.String())
	if err != nil {
		return a, false
	}
	private := from.Addr().Unmap()
	r.o.View(func(s *ofnet.State) {
		subnet := s.Private
		if private.Is6() {
			subnet = pipeline.Private6(s.Private)
		}
		for e := range s.On(s.Self) {
			if e.Port == 0 || pipeline.PrivateAddr(subnet, e.Port) != private {
				continue
			}
			if n := s.Segments.Get(e.Segment); n != nil && s.Tenants.Get(n.Tenant) != nil {
				a, ok = Requester{e.Port, s.Tenants.Get(n.Tenant).ID}, true
			}
		}
	})
	return a, ok
}

// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/miekg/dns"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/pipeline"
)

const (
	maxStreams  = 256              // concurrent connections, of which every requester has a share; more are closed
	streamIdle  = 10 * time.Second // for a query and its answer (RFC 7766, section 6.2.3)
	listenAgain = time.Second      // between attempts to listen, and checks of the addresses
)

// Listen listens for TCP connections at an address of the host.
type Listen func(at netip.AddrPort) (net.Listener, error)

// Serve answers queries over TCP (RFC 7766), to the host's private addresses, until ctx ends. It follows changes of those addresses, and
// waits until they exist.
func (r *Responder) Serve(ctx context.Context, listen Listen) error {
	tick := time.NewTicker(listenAgain)
	defer tick.Stop()
	var doors [2]listenSocket // IPv4 and IPv6
	defer func() {
		for i := range doors {
			doors[i].close()
		}
	}()
	for {
		for i, want := range r.listenAt() {
			if l := doors[i].at(want, listen, r.o.Log); l != nil {
				go r.accept(ctx, l)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// listenAt returns the host's private addresses; invalid if there are none.
func (r *Responder) listenAt() (out [2]netip.AddrPort) {
	r.o.View(func(s *ofnet.State) {
		if s.Private.Addr().Is4() {
			for i, subnet := range []netip.Prefix{s.Private, pipeline.Private6(s.Private)} {
				out[i] = netip.AddrPortFrom(pipeline.HostAddr(subnet), pipeline.NamesPort)
			}
		}
	})
	return out
}

// listenSocket is the listener of one family.
type listenSocket struct {
	l            net.Listener // nil: not listening
	here, failed netip.AddrPort
}

// at moves the listener to an address, and returns a new listener, if any.
func (d *listenSocket) at(want netip.AddrPort, listen Listen, log *slog.Logger) net.Listener {
	if want != d.here {
		d.close()
	}
	if d.l != nil || !want.IsValid() {
		return nil
	}
	l, err := listen(want)
	if err != nil {
		if d.failed != want {
			log.Debug("DNS over TCP waits for the host's address", "address", want, "error", err)
			d.failed = want
		}
		return nil
	}
	d.l, d.here = l, want
	return l
}

func (d *listenSocket) close() {
	if d.l != nil {
		_ = d.l.Close()
	}
	d.l, d.here = nil, netip.AddrPort{}
}

// accept serves connections until the listener is closed, and the open ones then until they or ctx end. An open connection buffers at most
// 64 KiB, the largest message.
func (r *Responder) accept(ctx context.Context, l net.Listener) {
	server := &dns.Server{
		Listener:       &guard{l, ctx, r},
		DecorateReader: func(next dns.Reader) dns.Reader { return metered{next, r} },
		Handler:        dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) { r.answer(ctx, w, q) }),
		ReadTimeout:    streamIdle,
		IdleTimeout:    func() time.Duration { return streamIdle },
		MaxTCPQueries:  -1,
	}
	_ = server.ActivateAndServe() // the listener was closed
}

// answer answers a query, by the Zone or by the host's name servers. A query that cannot be answered ends the connection.
func (r *Responder) answer(ctx context.Context, w dns.ResponseWriter, q *dns.Msg) {
	from := w.RemoteAddr().(origin)
	a, v := r.o.Zone.Answer(from.Tenant, q)
	var err error
	switch v {
	case Answered:
		r.answered.Add(1)
	case NotOurs:
		r.forwarded.Add(1)
		a, err = r.o.Forward.Forward(ctx, from.Requester, q)
	default:
		err = errors.New("not one question for an address or a name")
	}
	if err == nil {
		a.Truncate(dns.MaxMsgSize)
		err = w.WriteMsg(a)
	}
	if err != nil {
		r.check(err)
		_ = w.Close()
	}
}

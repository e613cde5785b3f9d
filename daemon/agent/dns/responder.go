// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/miekg/dns"
	"golang.org/x/time/rate"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
)

const (
	// Queries per second of one endpoint, and of all of a host together; the queries of an endpoint above its limit bypass the agent for a
	// while. If all queries together exceed rateOfMany, each tenant has rateOfTenant.
	rateOfOne, burstOfOne = 100, 200
	rateOfMany            = 1000
	rateOfTenant          = 250
)

// Switch sends packets and leases flows; *packetin.Receiver is one.
type Switch interface {
	Send(port uint32, frame []byte) error
	Resume(p packetin.Packet) error
	Hold(ctx context.Context, flows []flow.Flow) error
}

// Options are the dependencies of a Responder.
type Options struct {
	Host    string // label
	Zone    *Zone
	Forward *Forwarder
	// View calls a function with the State of the switch, which it must not keep.
	View func(fn func(s *ofnet.State))
	Log  *slog.Logger
}

// Counts are totals since the Responder was made.
type Counts struct {
	Questions uint64 // received
	Answered  uint64 // by the Zone
	Forwarded uint64 // to the host's name servers, by the Forwarder
	Passed    uint64 // continued unmodified
	Excess    uint64 // number of times that an endpoint exceeded its limit, and bypassed the agent
	Failed    uint64 // could not be sent, or no name server answered in time
}

// Responder handles every caught query. Its methods are safe for concurrent use.
type Responder struct {
	o Options

	questions, answered, forwarded, passed, excess, failed atomic.Uint64

	all     *rate.Limiter
	ports   *limits[uint32]
	tenants *limits[uint16]
	streams *shares // of connections
}

// NewResponder returns a Responder; NewReceiver receives its queries.
func NewResponder(o Options) *Responder {
	return &Responder{o: o, all: rate.NewLimiter(rateOfMany, rateOfMany), ports: newLimits[uint32](rateOfOne, burstOfOne),
		tenants: newLimits[uint16](rateOfTenant, rateOfTenant), streams: newShares(maxStreams)}
}

// NewReceiver returns the receiver of the packet-ins that r handles, from the bridge's management socket.
func NewReceiver(r *Responder, socket string) *packetin.Receiver {
	var in *packetin.Receiver
	in = packetin.New(packetin.Options{Socket: socket, Flows: pipeline.DNSQuestions(), Meter: pipeline.LeaseNames.Meter(), Send: pipeline.To, Resume: pipeline.Resume,
		Handle: func(ctx context.Context, p packetin.Packet) { r.Handle(ctx, in, p) }, Log: r.o.Log})
	return in
}

// Counts returns the totals.
func (r *Responder) Counts() Counts {
	return Counts{Questions: r.questions.Load(), Answered: r.answered.Load(), Forwarded: r.forwarded.Load(), Passed: r.passed.Load(),
		Excess: r.excess.Load(), Failed: r.failed.Load()}
}

// Handle answers a packet by sw, or lets it continue. It waits only for name servers of the host, in another goroutine.
func (r *Responder) Handle(ctx context.Context, sw Switch, p packetin.Packet) {
	r.questions.Add(1)
	segment, tenant := pipeline.Origin(p.Match)
	from := Requester{p.InPort, tenant}
	if !r.admits(from) {
		r.excess.Add(1)
		r.check(sw.Hold(ctx, pipeline.DNSBypass(p.InPort)))
		r.pass(sw, p)
		return
	}
	u, err := frame.ParseUDP(p.Frame)
	if err != nil {
		r.pass(sw, p)
		return
	}
	q := new(dns.Msg)
	if err := q.Unpack(u.Payload); err != nil {
		r.pass(sw, p)
		return
	}
	a, v := r.o.Zone.Answer(tenant, q)
	switch {
	case v == Answered:
		reply, err := fit(a, datagramSize(q))
		if err != nil {
			r.pass(sw, p)
			return
		}
		r.answered.Add(1)
		r.check(sw.Send(p.InPort, u.Reply(reply).Append(nil)))
	case v == NotOurs && (r.toGateway(segment, &u) || r.o.Zone.Unserved(tenant, u.Dst.Addr())):
		r.forwarded.Add(1)
		go r.forward(ctx, sw, from, &u, q)
	default:
		r.pass(sw, p)
	}
}

func (r *Responder) pass(sw Switch, p packetin.Packet) {
	r.passed.Add(1)
	r.check(sw.Resume(p))
}

// forward queries the host's name servers. It truncates a long answer, with the bit that says so (RFC 2181, section 9). The Forwarder
// limits the number of concurrent queries.
func (r *Responder) forward(ctx context.Context, sw Switch, from Requester, u *frame.UDP, q *dns.Msg) {
	a, err := r.o.Forward.Forward(ctx, from, q)
	if err != nil {
		r.failed.Add(1)
		return // the client retries
	}
	a.Truncate(datagramSize(q))
	reply, err := a.Pack()
	if err != nil {
		r.check(err)
		return
	}
	r.check(sw.Send(from.Port, u.Reply(reply).Append(nil)))
}

func (r *Responder) check(err error) {
	if err != nil {
		r.failed.Add(1)
		r.o.Log.Debug("cannot answer a DNS query", "error", err)
	}
}

// admits reports whether an endpoint may send one more query.
func (r *Responder) admits(from Requester) bool {
	return r.ports.allow(from.Port) && (r.all.Allow() || r.tenants.allow(from.Tenant))
}

// toGateway reports whether a query is addressed to a gateway that is the switch itself, so that nothing else will answer it.
func (r *Responder) toGateway(segment uint32, u *frame.UDP) (yes bool) {
	if u.EthDst != pipeline.RouterMAC {
		return false
	}
	to := u.Dst.Addr()
	r.o.View(func(s *ofnet.State) {
		for _, n := range s.Segments.All() {
			if n.ID == segment {
				yes = pipeline.OwnsGateway(n) && (n.Gateway4 == to || n.Gateway6 == to)
				return
			}
		}
	})
	return yes
}

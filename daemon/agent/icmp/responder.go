// SPDX-License-Identifier: Apache-2.0

// Package icmp sends ICMP errors to the senders of packets that the router did not forward: the hop limit was exceeded, no endpoint has the
// address, or a service has no backend. The switch cannot do so by itself, because such an error quotes the packet.
package icmp

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync/atomic"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/frame"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// Options are the dependencies of a Responder.
type Options struct {
	Host   string // label of this host
	Socket string // the bridge's management socket
	// Router returns the router's address in a network, by the network's number; invalid: it sends nothing there.
	Router func(segment uint32, ipv6 bool) netip.Addr
	View   func(func(*ofnet.State)) // calls a function with the desired state of the switch
	Log    *slog.Logger
}

// Responder answers packet-ins.
type Responder struct {
	o       Options
	packets *packetin.Receiver
	sent    atomic.Uint64
}

// New returns a Responder; Run serves.
func New(o Options) *Responder {
	r := &Responder{o: o}
	r.packets = packetin.New(packetin.Options{Socket: o.Socket, Flows: pipeline.Failures(), Meter: pipeline.LeaseMessages.Meter(),
		Handle: r.handle, Workers: 1, Log: o.Log})
	return r
}

// Run answers until ctx ends; then it returns nil. If the switch goes away, it waits for its return.
func (r *Responder) Run(ctx context.Context) error { return r.packets.Run(ctx) }

// Sent counts the errors that were sent.
func (r *Responder) Sent() uint64 { return r.sent.Load() }

func (r *Responder) handle(_ context.Context, p packetin.Packet) {
	segment, tenant := pipeline.Origin(p.Match)
	trouble := frame.Unreachable
	switch {
	case pipeline.HasExpired(p.Table):
		trouble = frame.Expired
	case pipeline.IsRefused(p.Table):
		trouble = frame.Refused
	}
	var do flow.Actions
	var mac ofnet.MAC
	routed, ok := false, false
	r.o.View(func(s *ofnet.State) { do, mac, routed, ok = pipeline.Reply(s, p.Match) })
	from := netip.Addr{}
	switch {
	case routed || ok && trouble != frame.Refused: // the router itself reports it
		do, mac, from = pipeline.Inject(segment, tenant), pipeline.RouterMAC, r.o.Router(segment, frame.IsIPv6(p.Frame))
	case ok:
		from = frame.Receiver(p.Frame)
	}
	message, err := frame.Report(trouble, p.Frame, mac, from)
	if errors.Is(err, frame.ErrSilent) {
		return
	}
	if err == nil {
		err = r.packets.Inject(do, message)
	}
	if err != nil {
		r.o.Log.Debug("cannot send an ICMP message", "error", err) // the next packet causes another
		return
	}
	r.sent.Add(1)
}

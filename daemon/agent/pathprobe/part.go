// SPDX-License-Identifier: Apache-2.0

package pathprobe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/daemon/agent/part"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// aliveTimeout is the maximum time for an answer of a machine from which nothing else answers.
const aliveTimeout = 500 * time.Millisecond

// errNoPath is returned when a path no longer exists.
var errNoPath = errors.New("the path no longer exists")

// Records is the part of *desired.Engine that a Probing needs.
type Records interface {
	Machines() []*record.Host
	Routing() bool
	Direct() bool
}

// ProbingOptions are the dependencies of a Probing.
type ProbingOptions struct {
	Host    string // label
	Version string // of this agent
	Port    int    // of VXLAN, UDP
	VTEP    netip.Addr
	Socket  string // at which the bridge's OpenFlow is spoken
	View    func(func(s *ofnet.State))
	Records Records
	Room    func() link.Room // for packets between hosts
	Log     *slog.Logger
}

// Probing connects a Prober to the switch.
type Probing struct {
	ProbingOptions
	packets *packetin.Receiver
	prober  *Prober
}

// NewProbing returns a Probing.
func NewProbing(o ProbingOptions) *Probing {
	p := &Probing{ProbingOptions: o}
	p.packets = packetin.New(packetin.Options{Socket: o.Socket, Flows: pipeline.ProbeAnswers(o.Host), Meter: pipeline.LeaseProbes.Meter(), Workers: 1, Log: o.Log, Held: p.restart, Handle: p.receive})
	p.prober = New(Options{Host: o.Host, Port: o.Port, Overhead: link.VXLANOverhead(o.VTEP), View: o.View, Log: o.Log, Room: p.longest, Alive: p.alive, Other: p.otherVersion,
		Send: p.send, Self: p.sendSelf})
	return p
}

// Part returns the tasks and the check of paths.
func (p *Probing) Part(stages *part.Stages) part.Part {
	return part.Part{
		Tasks:  []task.Task{stages.AfterSync("probes that arrive", p.packets.Run), stages.AfterSync("probes of ways", p.prober.Run)},
		Checks: []check.Check{{Name: "ways", Interval: 3 * time.Second, Look: p.prober.Look, Asked: p.prober.Ask}},
	}
}

// restart restarts the prober once the switch has the flows of probes.
func (p *Probing) restart() { p.prober.Restart() }

// receive handles a probe that has arrived.
func (p *Probing) receive(_ context.Context, in packetin.Packet) {
	end, segment := pipeline.ProbeOrigin(in.Match)
	p.prober.Receive(Origin{End: end, Segment: segment}, in.Frame)
}

// send sends a frame on a path.
func (p *Probing) send(w Path, b []byte) error {
	var do flow.Actions
	var ok bool
	p.View(func(s *ofnet.State) {
		if do, ok = pipeline.ProbeTunnel(s, w.Host); w.Network != "" {
			do, ok = pipeline.ProbeTrunk(s, w.Network)
		}
	})
	if !ok {
		return errNoPath
	}
	return p.packets.Inject(do, b)
}

// sendSelf sends a frame to the switch, which returns it.
func (p *Probing) sendSelf(w Path, b []byte) error {
	if w.Network == "" {
		return p.packets.Inject(pipeline.ProbeSelf(), b)
	}
	var port uint32
	var do flow.Actions
	var ok bool
	p.View(func(s *ofnet.State) { port, do, ok = pipeline.ProbeArrival(s, w.Network) })
	if !ok {
		return errNoPath
	}
	return p.packets.Arrive(port, do, b)
}

// longest returns the longest packet that containers send on a path.
func (p *Probing) longest(w Path) int {
	routed := p.Records.Routing() || p.Records.Direct()
	if w.Network == "" {
		return p.Room().InTunnel(routed)
	}
	return p.Room().OnTrunk(routed)
}

// alive reports whether the machine of a host answers by other means than its switch: any answer to a connection counts.
func (p *Probing) alive(ctx context.Context, host string) Liveness {
	machines := p.Records.Machines()
	at := slices.IndexFunc(machines, func(h *record.Host) bool { return h.Label == host })
	if at < 0 {
		return Liveness{Text: "no machine is this host any longer"}
	}
	h, other := machines[at], p.otherVersion(host)
	try := []netip.AddrPort{h.Control}
	if port := h.Control.Port(); port != 0 && h.VTEP != h.Control.Addr() {
		try = append(try, netip.AddrPortFrom(h.VTEP, port))
	}
	answers := make(chan netip.AddrPort, len(try))
	ctx, cancel := context.WithTimeout(ctx, aliveTimeout)
	defer cancel()
	for _, to := range try {
		go func() {
			if to.IsValid() && answersAt(ctx, to) {
				answers <- to
			} else {
				answers <- netip.AddrPort{}
			}
		}()
	}
	for range try {
		if to := <-answers; to.IsValid() {
			return Liveness{Alive: true, Other: other, Text: fmt.Sprintf("the machine answers at %s", to.Addr())}
		}
	}
	return Liveness{Other: other, Text: fmt.Sprintf("the machine does not answer at %s either", h.Control.Addr())}
}

// otherVersion returns the version of a host's agent, "" if it equals this one's, or is unknown.
func (p *Probing) otherVersion(host string) string {
	for _, h := range p.Records.Machines() {
		if h.Label == host && h.Version != p.Version {
			return h.Version
		}
	}
	return ""
}

// answersAt reports whether a machine accepts or refuses a connection.
func answersAt(ctx context.Context, to netip.AddrPort) bool {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", to.String())
	if err != nil {
		return errors.Is(err, syscall.ECONNREFUSED)
	}
	_ = c.Close() // only its opening was needed
	return true
}

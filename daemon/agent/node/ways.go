package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/contiv/contiv/daemon/agent/conflicts"
	"github.com/contiv/contiv/daemon/agent/examine"
	"github.com/contiv/contiv/daemon/agent/ways"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// The meter of probes that come to the agent: what it has sent itself when someone asks, and what others ask it.
const (
	probeMeter            = flow.LeasedMeters + 2
	probeRate, probeBurst = 2000, 2000
)

// aliveWait is how long a machine may take to answer that is looked for because nothing else of it answers.
const aliveWait = 500 * time.Millisecond

// errNoWay is what sending on a way returns that is no more.
var errNoWay = errors.New("there is no such way any more")

// outlook is how the agent looks at the ways to other hosts, and at who has addresses that are a container's.
type outlook struct {
	packets *packetin.Receiver // of probes
	prober  *ways.Prober
	claims  *conflicts.Claims
	spoofs  *conflicts.Spoofs
}

// newOutlook makes the outlook of a node.
func newOutlook(n *Node) *outlook {
	o := &outlook{}
	socket := ManagementSocket(n.OVSRunDir)
	o.packets = packetin.New(packetin.Options{Socket: socket, Flows: pipeline.ProbeAnswers(n.Host, probeMeter),
		Meter: flow.Meter{ID: probeMeter, Packets: true, Rate: probeRate, Burst: probeBurst}, Workers: 1, Log: n.Log, Held: func() { o.prober.Restart() },
		Handle: func(_ context.Context, p packetin.Packet) {
			end, segment := pipeline.ProbeOrigin(p.Match)
			o.prober.Take(ways.Origin{End: end, Segment: segment}, p.Frame)
		}})
	o.prober = ways.New(ways.Options{Host: n.Host, Port: n.VXLANPort, Overhead: link.VXLANOverhead(n.VTEP), View: n.forward.View, Log: n.Log, Room: n.longest, Alive: n.alive, Other: n.otherVersion,
		Send: func(w ways.Way, b []byte) error {
			var do flow.Actions
			var ok bool
			n.forward.View(func(s *ofnet.State) {
				if do, ok = pipeline.ProbeTunnel(s, w.Host); w.Network != "" {
					do, ok = pipeline.ProbeTrunk(s, w.Network)
				}
			})
			if !ok {
				return errNoWay
			}
			return o.packets.Inject(do, b)
		},
		Self: func(w ways.Way, b []byte) error {
			if w.Network == "" {
				return o.packets.Inject(pipeline.ProbeSelf(), b)
			}
			var port uint32
			var do flow.Actions
			var ok bool
			n.forward.View(func(s *ofnet.State) { port, do, ok = pipeline.ProbeArrival(s, w.Network) })
			if !ok {
				return errNoWay
			}
			return o.packets.Arrive(port, do, b)
		}})
	o.claims = conflicts.NewClaims(conflicts.ClaimOptions{Host: n.Host, Socket: socket, View: n.forward.View, Uplink: n.uplinkName, Log: n.Log})
	number := n.flows.Number(string(pipeline.Spoofed))
	o.spoofs = conflicts.NewSpoofs(conflicts.SpoofOptions{View: n.forward.View,
		Hits: func(ctx context.Context) (map[uint64]bridge.Hits, error) { return n.forward.Hits(ctx, number) }})
	return o
}

// checks are those of the outlook.
func (o *outlook) checks() []examine.Check {
	return []examine.Check{
		{Name: "ways", Every: 3 * time.Second, Look: o.prober.Look, Asked: o.prober.Ask},
		{Name: "conflicts", Every: 5 * time.Second, Look: o.claims.Look},
		{Name: "spoofed sources", Every: 10 * time.Second, Look: o.spoofs.Look},
	}
}

// parts are the tasks of the outlook.
func (o *outlook) parts(n *Node) []task.Task {
	parts := []task.Task{n.afterSync("probes that arrive", o.packets.Run), n.afterSync("probes of ways", o.prober.Run)}
	if len(n.Uplinks) > 0 {
		parts = append(parts, n.afterSync("claims of addresses", o.claims.Run))
	}
	return parts
}

// longest is the longest packet that containers send on a way.
func (n *Node) longest(w ways.Way) int {
	routed := n.desired.Routing() || n.desired.Direct()
	if w.Network == "" {
		return n.room().InTunnel(routed)
	}
	return n.room().OnTrunk(routed)
}

// uplinkName is the NIC that a port of the switch is.
func (n *Node) uplinkName(port uint32) string {
	for i, nic := range n.Uplinks {
		if uplinkPort(i) == port {
			return nic
		}
	}
	return fmt.Sprintf("port %d", port)
}

// alive tells whether the machine of a host answers otherwise than by its switch: whatever it says to a connection, it is there.
func (n *Node) alive(ctx context.Context, host string) ways.Life {
	machines := n.desired.Machines()
	at := slices.IndexFunc(machines, func(h *record.Host) bool { return h.Label == host })
	if at < 0 {
		return ways.Life{Said: "no machine is this host any more"}
	}
	h, other := machines[at], n.otherVersion(host)
	try := []netip.AddrPort{h.Control}
	if port := h.Control.Port(); port != 0 && h.VTEP != h.Control.Addr() {
		try = append(try, netip.AddrPortFrom(h.VTEP, port))
	}
	answers := make(chan netip.AddrPort, len(try))
	ctx, cancel := context.WithTimeout(ctx, aliveWait)
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
			return ways.Life{Alive: true, Other: other, Said: fmt.Sprintf("the machine answers at %s", to.Addr())}
		}
	}
	return ways.Life{Other: other, Said: fmt.Sprintf("the machine does not answer at %s either", h.Control.Addr())}
}

// otherVersion is the version of a host's agent, "" when it is this one's, or not known.
func (n *Node) otherVersion(host string) string {
	for _, h := range n.desired.Machines() {
		if h.Label == host && h.Version != n.Version.Version {
			return h.Version
		}
	}
	return ""
}

// answersAt tells whether a machine takes or refuses a connection.
func answersAt(ctx context.Context, to netip.AddrPort) bool {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", to.String())
	if err != nil {
		return errors.Is(err, syscall.ECONNREFUSED)
	}
	_ = c.Close() // it was for its opening alone
	return true
}

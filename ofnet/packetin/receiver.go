// SPDX-License-Identifier: Apache-2.0

package packetin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
)

const (
	// Lease is the lifetime of flows after their last renewal, in seconds; Open vSwitch checks once a second.
	Lease = 4
	// renewInterval is the time between two renewals.
	renewInterval = time.Second
	// redial is the delay before the next attempt to connect.
	redial = 500 * time.Millisecond
	// timeout bounds every exchange with the switch.
	timeout = 3 * time.Second
)

// Packet is a packet-in.
type Packet struct {
	InPort uint32       // OpenFlow port at which it arrived
	Table  flow.TableID // of the flow that sent it
	Match  flow.Match   // ingress and registers at that point
	Frame  []byte       // starting with the Ethernet header
}

// Options are what a Receiver needs.
type Options struct {
	Socket  string                          // the bridge's management socket
	Flows   []flow.Flow                     // that send packets through the meter to the controller; their cookies have the feature flow.Leased
	Meter   flow.Meter                      // limits the packets that reach this program; its number is at least flow.LeasedMeters
	Send    func(port uint32) flow.Actions  // send a frame out of a port
	Resume  func(m flow.Match) flow.Actions // let a packet continue, by the registers of its packet-in
	Receive []flow.Cookie                   // of flows held by others whose packets are handled too
	// Handle handles a packet. Several goroutines call it at once; it may block for a while, and uses Send and Resume.
	Handle  func(ctx context.Context, p Packet)
	Workers int    // goroutines that call Handle; 0: 4
	Held    func() // called when the flows are in a switch: the first one, and each that replaced it; may be nil
	Log     *slog.Logger
}

// Counts are totals since the Receiver was made.
type Counts struct {
	Received uint64 // packet-ins
	Dropped  uint64 // of these, because no worker was free
	Lost     uint64 // number of times that the switch was lost or refused the flows
}

// Receiver keeps the flows in the switch and dispatches packet-ins. Its methods are safe for concurrent use.
type Receiver struct {
	o                       Options
	queue                   chan Packet
	conn                    atomic.Pointer[openflow.Conn]
	received, dropped, lost atomic.Uint64
}

// queued is the number of packets that wait for a worker.
const queued = 256

// ErrAway is returned by sending methods if there is no switch.
var ErrAway = errors.New("switch is not connected")

// New returns a Receiver; Run installs its flows.
func New(o Options) *Receiver {
	if o.Workers == 0 {
		o.Workers = 4
	}
	return &Receiver{o: o, queue: make(chan Packet, queued)}
}

// Counts returns the totals.
func (r *Receiver) Counts() Counts {
	return Counts{Received: r.received.Load(), Dropped: r.dropped.Load(), Lost: r.lost.Load()}
}

// Run keeps the flows in the switch until ctx ends; then it deletes them and returns nil. If the switch goes away, it waits for its return.
func (r *Receiver) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	for range r.o.Workers {
		workers.Go(func() {
			for {
				select {
				case p := <-r.queue:
					r.o.Handle(ctx, p)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	defer workers.Wait()
	said := false
	held := func() {
		said = false
		if r.o.Held != nil {
			r.o.Held()
		}
	}
	for ctx.Err() == nil {
		err := r.hold(ctx, held)
		if err != nil && ctx.Err() == nil {
			r.lost.Add(1)
			if !said { // log once for each loss
				r.o.Log.Warn("the switch does not send packets to this agent; retrying", "error", err)
				said = true
			}
		}
		timer := time.NewTimer(redial)
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return nil
}

// hold keeps the flows in the switch during one connection. It calls held once they are installed.
func (r *Receiver) hold(ctx context.Context, held func()) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	c, err := openflow.Dial(limited, r.o.Socket, openflow.Options{PacketIn: r.dispatch})
	cancel()
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // it is of no further use
	if err := r.setMeter(ctx, c); err != nil {
		return err
	}
	if err := r.renew(ctx, c, r.o.Flows); err != nil {
		return err
	}
	r.conn.Store(c)
	defer r.conn.Store(nil)
	held()
	tick := time.NewTicker(renewInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := r.renew(ctx, c, r.o.Flows); err != nil {
				return err
			}
		case <-c.Done():
			return c.Err()
		case <-ctx.Done():
			return r.release(c)
		}
	}
}

func (r *Receiver) setMeter(ctx context.Context, c *openflow.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := c.Sequence(ctx, 1, func(int) openflow.Message { return &openflow.MeterMod{Command: openflow.Add, Meter: r.o.Meter} })
	if _, ok := errors.AsType[*openflow.RefusedError](err); ok { // it exists already
		err = c.Sequence(ctx, 1, func(int) openflow.Message { return &openflow.MeterMod{Command: openflow.Modify, Meter: r.o.Meter} })
	}
	if err != nil {
		return fmt.Errorf("set meter %d: %w", r.o.Meter.ID, err)
	}
	return nil
}

// renew adds the flows, or extends their lease.
func (r *Receiver) renew(ctx context.Context, c *openflow.Conn, flows []flow.Flow) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := c.Transact(ctx, len(flows), func(i int) openflow.Message {
		return &openflow.FlowMod{Command: openflow.Add, Flow: flows[i], Seconds: Lease}
	})
	if err != nil {
		return fmt.Errorf("lease flows: %w", err)
	}
	return nil
}

// release deletes the flows. It runs after ctx has ended, so it has a timeout of its own.
func (r *Receiver) release(c *openflow.Conn) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return c.Transact(ctx, len(r.o.Flows), func(i int) openflow.Message {
		return &openflow.FlowMod{Command: openflow.DeleteStrict, Flow: r.o.Flows[i]}
	})
}

// dispatch queues a message from the connection's reader; it does not block.
func (r *Receiver) dispatch(in *openflow.PacketIn) {
	if !r.ours(in.Cookie) {
		return
	}
	port, ok := in.Match.Uint(flow.InPort)
	if !ok {
		return
	}
	r.received.Add(1)
	select {
	case r.queue <- Packet{InPort: uint32(port), Table: in.Table, Match: in.Match, Frame: in.Data}:
	default:
		r.dropped.Add(1)
	}
}

// ours reports whether a packet was sent by one of our flows, or of those in Receive: every connection receives all packet-ins.
func (r *Receiver) ours(c flow.Cookie) bool {
	for i := range r.o.Flows {
		if r.o.Flows[i].Cookie == c {
			return true
		}
	}
	return slices.Contains(r.o.Receive, c)
}

// Hold adds further leased flows once; they expire after Lease.
func (r *Receiver) Hold(ctx context.Context, flows []flow.Flow) error {
	c := r.conn.Load()
	if c == nil {
		return ErrAway
	}
	return r.renew(ctx, c, flows)
}

// Limited returns the number of packets that the meter has dropped since its flows were last installed.
func (r *Receiver) Limited(ctx context.Context) (n uint64, err error) {
	c := r.conn.Load()
	if c == nil {
		return 0, ErrAway
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err = c.List(ctx, &openflow.MultipartRequest{Part: openflow.PartMeter, Number: r.o.Meter.ID}, func(m *openflow.MultipartReply) {
		for _, d := range m.Drops {
			n += d.Packets
		}
	})
	return n, err
}

// Send sends a frame out of a port.
func (r *Receiver) Send(port uint32, frame []byte) error {
	return r.out(&openflow.PacketOut{InPort: flow.PortController, Actions: r.o.Send(port), Data: frame})
}

// Resume lets a packet continue on its path.
func (r *Receiver) Resume(p Packet) error {
	return r.out(&openflow.PacketOut{InPort: p.InPort, Actions: r.o.Resume(p.Match), Data: p.Frame})
}

// Inject sends a frame of the agent's own through the switch by actions.
func (r *Receiver) Inject(actions flow.Actions, frame []byte) error {
	return r.out(&openflow.PacketOut{InPort: flow.PortController, Actions: actions, Data: frame})
}

// Arrive makes the switch process a frame of the agent as if it had arrived at a port, through actions.
func (r *Receiver) Arrive(port uint32, actions flow.Actions, frame []byte) error {
	return r.out(&openflow.PacketOut{InPort: port, Actions: actions, Data: frame})
}

func (r *Receiver) out(m *openflow.PacketOut) error {
	c := r.conn.Load()
	if c == nil {
		return ErrAway
	}
	return c.Send(m)
}

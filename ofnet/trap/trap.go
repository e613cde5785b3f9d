package trap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
)

const (
	// Lease is how long flows outlive their last renewal, in seconds; Open vSwitch looks once a second.
	Lease = 4
	// renewEvery is how often they are renewed.
	renewEvery = time.Second
	// redial is how long to wait before the switch is tried again.
	redial = 500 * time.Millisecond
	// patience bounds every exchange with the switch.
	patience = 3 * time.Second
)

// Packet is a packet that was caught.
type Packet struct {
	InPort uint32       // OpenFlow port that it came in by
	Table  flow.TableID // where it was caught
	Match  flow.Match   // ingress and registers at that point
	Frame  []byte       // from the Ethernet header on
}

// Options are what a Trap needs.
type Options struct {
	Socket string      // the bridge's management socket
	Flows  []flow.Flow // that send packets through the meter to the controller; their cookies have the feature flow.Leased
	Meter  flow.Meter  // bounds what reaches this program; its number is at least flow.LeasedMeters
	Resume flow.Actions
	// Handle takes a packet. Several goroutines call it at once; it may block for a while, and uses Send and Resume.
	Handle  func(ctx context.Context, p Packet)
	Workers int // goroutines that call Handle; 0: 4
	Log     *slog.Logger
}

// Counts are totals since the Trap was made.
type Counts struct {
	Caught  uint64 // packets that came
	Dropped uint64 // of these, for want of a free worker
	Unheld  uint64 // times that the switch was lost or refused the flows
}

// Trap holds the flows and hands packets over. Its methods are safe for concurrent use.
type Trap struct {
	o                       Options
	queue                   chan Packet
	conn                    atomic.Pointer[openflow.Conn]
	caught, dropped, unheld atomic.Uint64
}

// queued is how many packets wait for a worker.
const queued = 256

// ErrAway is what sending returns while there is no switch.
var ErrAway = errors.New("switch is not connected")

// New makes a Trap; Run sets it.
func New(o Options) *Trap {
	if o.Workers == 0 {
		o.Workers = 4
	}
	return &Trap{o: o, queue: make(chan Packet, queued)}
}

// Counts returns the totals.
func (t *Trap) Counts() Counts {
	return Counts{Caught: t.caught.Load(), Dropped: t.dropped.Load(), Unheld: t.unheld.Load()}
}

// Run holds the flows until ctx ends; then it gives them up and returns nil. A switch that goes away is waited for.
func (t *Trap) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	for range t.o.Workers {
		workers.Go(func() {
			for {
				select {
				case p := <-t.queue:
					t.o.Handle(ctx, p)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	defer workers.Wait()
	said := false
	for ctx.Err() == nil {
		err := t.hold(ctx, func() { said = false })
		if err != nil && ctx.Err() == nil {
			t.unheld.Add(1)
			if !said { // once for each time that it is lost
				t.o.Log.Warn("packets for this agent are not caught, trying again", "error", err)
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

// hold keeps the flows in the switch for the life of one connection. held is called when they are there.
func (t *Trap) hold(ctx context.Context, held func()) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	c, err := openflow.Dial(limited, t.o.Socket, openflow.Options{Async: t.take})
	cancel()
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // it is of no further use
	if err := t.setMeter(ctx, c); err != nil {
		return err
	}
	if err := t.renew(ctx, c, t.o.Flows); err != nil {
		return err
	}
	t.conn.Store(c)
	defer t.conn.Store(nil)
	held()
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := t.renew(ctx, c, t.o.Flows); err != nil {
				return err
			}
		case <-c.Done():
			return c.Err()
		case <-ctx.Done():
			return t.release(c)
		}
	}
}

func (t *Trap) setMeter(ctx context.Context, c *openflow.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := c.Sequence(ctx, 1, func(int) openflow.Message { return &openflow.MeterMod{Command: openflow.Add, Meter: t.o.Meter} })
	var refused *openflow.RefusedError
	if errors.As(err, &refused) { // it is there already
		err = c.Sequence(ctx, 1, func(int) openflow.Message { return &openflow.MeterMod{Command: openflow.Modify, Meter: t.o.Meter} })
	}
	if err != nil {
		return fmt.Errorf("set meter %d: %w", t.o.Meter.ID, err)
	}
	return nil
}

// renew adds the flows, or extends their lease.
func (t *Trap) renew(ctx context.Context, c *openflow.Conn, flows []flow.Flow) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := c.Transact(ctx, len(flows), func(i int) openflow.Message {
		return &openflow.FlowMod{Command: openflow.Add, Flow: flows[i], Seconds: Lease}
	})
	if err != nil {
		return fmt.Errorf("lease flows: %w", err)
	}
	return nil
}

// release takes the flows away at once. It is called when ctx has ended, and so has a limit of its own.
func (t *Trap) release(c *openflow.Conn) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return c.Transact(ctx, len(t.o.Flows), func(i int) openflow.Message {
		return &openflow.FlowMod{Command: openflow.DeleteStrict, Flow: t.o.Flows[i]}
	})
}

// take is called by the connection's reader; it does not block.
func (t *Trap) take(m openflow.Message) {
	in, ok := m.(*openflow.PacketIn)
	if !ok || !t.ours(in.Cookie) {
		return
	}
	port, ok := in.Match.Uint(flow.InPort)
	if !ok {
		return
	}
	t.caught.Add(1)
	select {
	case t.queue <- Packet{InPort: uint32(port), Table: in.Table, Match: in.Match, Frame: in.Data}:
	default:
		t.dropped.Add(1)
	}
}

// ours says whether a packet was sent by one of our flows: every connection hears of all.
func (t *Trap) ours(c flow.Cookie) bool {
	for i := range t.o.Flows {
		if t.o.Flows[i].Cookie == c {
			return true
		}
	}
	return false
}

// Hold adds further leased flows, once: they end after Lease.
func (t *Trap) Hold(ctx context.Context, flows []flow.Flow) error {
	c := t.conn.Load()
	if c == nil {
		return ErrAway
	}
	return t.renew(ctx, c, flows)
}

// Send sends a frame out of a port.
func (t *Trap) Send(port uint32, frame []byte) error {
	return t.out(&openflow.PacketOut{InPort: flow.PortController, Actions: flow.Do(flow.Output(port)), Data: frame})
}

// Resume lets a packet go its way.
func (t *Trap) Resume(p Packet) error {
	return t.out(&openflow.PacketOut{InPort: p.InPort, Actions: t.o.Resume, Data: p.Frame})
}

// Inject sends a frame of the agent's own through the switch by actions.
func (t *Trap) Inject(actions flow.Actions, frame []byte) error {
	return t.out(&openflow.PacketOut{InPort: flow.PortController, Actions: actions, Data: frame})
}

func (t *Trap) out(m *openflow.PacketOut) error {
	c := t.conn.Load()
	if c == nil {
		return ErrAway
	}
	return c.Send(m)
}

// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
)

// Fake is a switch in memory, for tests and for whole systems in one process. It keeps tables, carries out a Delta
// as a whole, refuses what Open vSwitch refuses, and can fail as a switch fails. It is a Connector; all connections
// lead to the same tables.
type Fake struct {
	mu      sync.Mutex
	flows   map[flow.Key]flow.Flow
	groups  map[uint32]flow.Group
	meters  map[uint32]flow.Meter
	ports   []Port
	down    bool
	paused  chan struct{} // closed when it continues; nil: it runs
	conns   map[*fakeConn]struct{}
	refuse  func(flow.Flow) string
	applied []flow.Delta
	forgot  []flow.Connections
	changed chan struct{}
	reports bool // connections report what Tamper changes
}

// NewFake makes a Fake with empty tables that answers.
func NewFake() *Fake {
	return &Fake{
		flows: map[flow.Key]flow.Flow{}, groups: map[uint32]flow.Group{}, meters: map[uint32]flow.Meter{},
		conns: map[*fakeConn]struct{}{}, changed: make(chan struct{}),
	}
}

var (
	_ Connector = (*Fake)(nil)
	_ Switch    = (*fakeConn)(nil)
)

type fakeConn struct {
	fake    *Fake
	foreign chan struct{} // holds one after a change by Tamper
	once    sync.Once
	done    chan struct{}
}

// errFakeDown is the error of a Fake that is not running.
var errFakeDown = errors.New("connect to switch: connection refused")

// Connect succeeds while the Fake is up.
func (f *Fake) Connect(ctx context.Context) (Switch, error) {
	if err := f.running(ctx, nil); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return nil, errFakeDown
	}
	c := &fakeConn{fake: f, foreign: make(chan struct{}, 1), done: make(chan struct{})}
	f.conns[c] = struct{}{}
	return c, nil
}

// Stop ends all connections and forgets all tables, as ovs-vswitchd does when it dies; Start brings it back, empty.
func (f *Fake) Stop() {
	f.mu.Lock()
	f.down = true // first: no one connects while it dies
	clear(f.flows)
	clear(f.groups)
	clear(f.meters)
	f.mu.Unlock()
	f.Cut()
}

// Start makes the Fake answer again.
func (f *Fake) Start() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = false
}

// Pause makes the Fake silent, like a switch with a stopped process: connections stay open, and requests wait.
func (f *Fake) Pause() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.paused == nil {
		f.paused = make(chan struct{})
	}
}

// Resume ends a Pause.
func (f *Fake) Resume() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.paused != nil {
		close(f.paused)
		f.paused = nil
	}
}

// running waits while the Fake is paused; it fails when ctx or the connection ends first.
func (f *Fake) running(ctx context.Context, done <-chan struct{}) error {
	f.mu.Lock()
	paused := f.paused
	f.mu.Unlock()
	if paused == nil {
		return ctx.Err()
	}
	select {
	case <-paused:
		return nil
	case <-done:
		return fmt.Errorf("switch: %w", openflow.ErrClosed)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Cut ends all connections; the tables stay.
func (f *Fake) Cut() {
	f.mu.Lock()
	list := slices.Collect(maps.Keys(f.conns))
	f.mu.Unlock()
	for _, c := range list {
		_ = c.Close() // cannot fail
	}
}

// Refuse makes the Fake refuse flows for which why returns a reason; nil accepts all that Open vSwitch accepts.
func (f *Fake) Refuse(why func(flow.Flow) string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuse = why
}

// SetPorts replaces the ports.
func (f *Fake) SetPorts(ports ...Port) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ports = slices.Clone(ports)
}

// Tamper changes the tables without a connection, as a person with ovs-ofctl would.
func (f *Fake) Tamper(d flow.Delta) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.conns {
		select {
		case c.foreign <- struct{}{}:
		default:
		}
	}
	return f.carryOut(&d)
}

// Report makes later connections report what Tamper changes.
func (f *Fake) Report() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reports = true
}

// Set returns the contents of the tables, sorted.
func (f *Fake) Set() flow.Set {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := flow.Set{Flows: slices.Collect(maps.Values(f.flows)), Groups: slices.Collect(maps.Values(f.groups)),
		Meters: slices.Collect(maps.Values(f.meters))}
	s.Sort()
	return s
}

// Text returns the contents of the tables as text.
func (f *Fake) Text(names flow.Tables) string { return f.Set().Text(names) }

// Applied lists the changes that connections have carried out so far.
func (f *Fake) Applied() []flow.Delta {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.applied)
}

// Forgotten lists the selections of connections of all calls of Forget so far.
func (f *Fake) Forgotten() []flow.Connections {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.forgot)
}

// Changed is closed at the next change by a connection.
func (f *Fake) Changed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changed
}

// carryOut applies a Delta to copies of the tables, and replaces the tables with the copies on success.
func (f *Fake) carryOut(d *flow.Delta) error {
	old := Fake{flows: f.flows, groups: f.groups, meters: f.meters}
	f.flows, f.groups, f.meters = maps.Clone(f.flows), maps.Clone(f.groups), maps.Clone(f.meters)
	if refusal := f.change(d); refusal != nil {
		f.flows, f.groups, f.meters = old.flows, old.groups, old.meters
		return &RefusedError{[]Refusal{*refusal}}
	}
	return nil
}

func (f *Fake) change(d *flow.Delta) *Refusal {
	for _, m := range slices.Concat(d.AddMeters, d.ModMeters) {
		f.meters[m.ID] = m
	}
	for i := range d.AddGroups {
		g := &d.AddGroups[i]
		if _, there := f.groups[g.ID]; there {
			return &Refusal{Group: g, Reason: "OFPGMFC_GROUP_EXISTS"}
		}
		if r := f.group(g); r != nil {
			return r
		}
	}
	for i := range d.ModGroups {
		g := &d.ModGroups[i]
		if _, there := f.groups[g.ID]; !there {
			return &Refusal{Group: g, Reason: "OFPGMFC_UNKNOWN_GROUP"}
		}
		if r := f.group(g); r != nil {
			return r
		}
	}
	for _, list := range [][]flow.Flow{d.AddFlows, d.ModFlows, d.DrainFlows} {
		for i := range list {
			if why := f.objection(&list[i]); why != "" {
				return &Refusal{Flow: &list[i], Reason: why}
			}
			f.flows[list[i].Key] = list[i]
		}
	}
	for i := range d.DelFlows {
		delete(f.flows, d.DelFlows[i].Key) // deleting what is gone succeeds
	}
	for _, g := range d.DelGroups {
		delete(f.groups, g.ID)
		maps.DeleteFunc(f.flows, func(_ flow.Key, fl flow.Flow) bool {
			for id := range fl.Actions.Groups {
				if id == g.ID {
					return true
				}
			}
			return false
		})
	}
	for _, m := range d.DelMeters {
		delete(f.meters, m.ID)
	}
	return nil
}

func (f *Fake) group(g *flow.Group) *Refusal {
	if len(g.Buckets.Wire()) > 0xffff-16 {
		return &Refusal{Group: g, Reason: "OFPBRC_BAD_LEN"}
	}
	f.groups[g.ID] = *g
	return nil
}

// objection returns the reason why Open vSwitch would refuse the flow, or "".
func (f *Fake) objection(fl *flow.Flow) string {
	for id := range fl.Actions.Groups {
		if _, there := f.groups[id]; !there {
			return "OFPBAC_BAD_OUT_GROUP"
		}
	}
	for id := range fl.Actions.Meters {
		if _, there := f.meters[id]; !there {
			return "OFPMMFC_INVALID_METER"
		}
	}
	for t := range fl.Actions.Gotos {
		if t <= fl.Table {
			return "OFPBIC_BAD_TABLE_ID"
		}
	}
	for _, original := range []flow.Field{flow.CTNwSrc, flow.CTNwDst, flow.CTIPv6Src, flow.CTIPv6Dst} {
		state, _ := fl.Match.Uint(flow.CTState)
		if fl.Match.Has(original) && flow.ConnState(state)&(flow.CTNew|flow.CTEst) == 0 {
			return "OFPBMC_BAD_PREREQ"
		}
	}
	if f.refuse != nil {
		return f.refuse(*fl)
	}
	return ""
}

// Stream carries out the pieces together or refuses them.
func (c *fakeConn) Stream(ctx context.Context, pieces iter.Seq[*flow.Delta]) error {
	var d flow.Delta
	for p := range pieces {
		add(&d, p)
	}
	if d.Empty() {
		return nil
	}
	return c.Apply(ctx, &d)
}

// Fill carries out the changes of the pieces, additions one by one, and refuses some.
func (c *fakeConn) Fill(ctx context.Context, pieces iter.Seq[*flow.Delta]) error {
	var done flow.Delta
	var no RefusedError
	for p := range pieces {
		err := c.call(ctx, func() error {
			for i := range p.AddGroups {
				c.fake.fill(flow.Delta{AddGroups: p.AddGroups[i : i+1]}, &done, &no)
			}
			for i := range p.AddFlows {
				c.fake.fill(flow.Delta{AddFlows: p.AddFlows[i : i+1]}, &done, &no)
			}
			rest := *p
			rest.AddGroups, rest.AddFlows = nil, nil
			c.fake.fill(rest, &done, &no)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return c.call(ctx, func() error {
		if !done.Empty() {
			c.fake.note(&done)
		}
		if len(no.Refusals) > 0 {
			return &no
		}
		return nil
	})
}

// fill carries out one change, or adds the reason of its refusal to no.
func (f *Fake) fill(one flow.Delta, done *flow.Delta, no *RefusedError) {
	if refusal := f.change(&one); refusal != nil {
		no.Refusals = append(no.Refusals, *refusal)
		return
	}
	add(done, &one)
}

// add appends the changes of a piece, which has no meters.
func add(d, p *flow.Delta) {
	d.AddGroups, d.ModGroups, d.DelGroups = append(d.AddGroups, p.AddGroups...), append(d.ModGroups, p.ModGroups...), append(d.DelGroups, p.DelGroups...)
	d.AddFlows, d.ModFlows, d.DelFlows = append(d.AddFlows, p.AddFlows...), append(d.ModFlows, p.ModFlows...), append(d.DelFlows, p.DelFlows...)
	d.DrainFlows = append(d.DrainFlows, p.DrainFlows...)
}

// note adds a change to the applied ones.
func (f *Fake) note(d *flow.Delta) {
	f.applied = append(f.applied, *d)
	close(f.changed)
	f.changed = make(chan struct{})
}

// Apply carries out d or refuses it.
func (c *fakeConn) Apply(ctx context.Context, d *flow.Delta) error {
	return c.call(ctx, func() error {
		if err := c.fake.carryOut(d); err != nil {
			return err
		}
		c.fake.note(d)
		return nil
	})
}

// Forget records the selections; a Fake tracks no connections.
func (c *fakeConn) Forget(ctx context.Context, list []flow.Connections) error {
	return c.call(ctx, func() error {
		c.fake.forgot = append(c.fake.forgot, list...)
		return nil
	})
}

// call calls do if the connection is open.
func (c *fakeConn) call(ctx context.Context, do func() error) error {
	if err := c.fake.running(ctx, c.done); err != nil {
		return err
	}
	c.fake.mu.Lock()
	defer c.fake.mu.Unlock()
	select {
	case <-c.done:
		return fmt.Errorf("switch: %w", openflow.ErrClosed)
	default:
		return do()
	}
}

func (c *fakeConn) Dump(ctx context.Context, share flow.Share) (s flow.Set, err error) {
	err = c.call(ctx, func() error {
		s.Flows = slices.DeleteFunc(slices.Collect(maps.Values(c.fake.flows)), func(f flow.Flow) bool { return !share.Has(f.Cookie) })
		if share.First() {
			s.Groups, s.Meters = slices.Collect(maps.Values(c.fake.groups)), slices.Collect(maps.Values(c.fake.meters))
		}
		return nil
	})
	return s, err
}

// Stats returns each flow's priority as its number of packets; it applies only the cookie of a filter.
func (c *fakeConn) Stats(ctx context.Context, only openflow.FlowFilter) (out []openflow.FlowStats, err error) {
	err = c.call(ctx, func() error {
		for _, f := range c.fake.flows {
			if uint64(f.Cookie^only.Cookie)&only.CookieMask != 0 {
				continue
			}
			out = append(out, openflow.FlowStats{Flow: f, Packets: uint64(f.Priority), Bytes: 100 * uint64(f.Priority)})
		}
		return nil
	})
	return out, err
}

func (c *fakeConn) Filled(ctx context.Context) (n map[flow.TableID]int, err error) {
	n = map[flow.TableID]int{}
	err = c.call(ctx, func() error {
		for k := range c.fake.flows {
			n[k.Table]++
		}
		return nil
	})
	return n, err
}

// Watch returns the channel of changes by Tamper, if the Fake reports them.
func (c *fakeConn) Watch(ctx context.Context) (changes <-chan struct{}, err error) {
	err = c.call(ctx, func() error {
		if c.fake.reports {
			changes = c.foreign
		}
		return nil
	})
	return changes, err
}

func (c *fakeConn) Ports(ctx context.Context) (out []Port, err error) {
	err = c.call(ctx, func() error {
		out = slices.Clone(c.fake.ports)
		return nil
	})
	return out, err
}

// Silent returns a second while the Fake is paused, so that a pause is noticed immediately.
func (c *fakeConn) Silent() time.Duration {
	c.fake.mu.Lock()
	defer c.fake.mu.Unlock()
	if c.fake.paused != nil {
		return time.Second
	}
	return 0
}

func (c *fakeConn) Done() <-chan struct{} { return c.done }

func (c *fakeConn) Close() error {
	c.once.Do(func() {
		close(c.done)
		c.fake.mu.Lock()
		defer c.fake.mu.Unlock()
		delete(c.fake.conns, c)
	})
	return nil
}

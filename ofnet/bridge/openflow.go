// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
)

// OpenFlow connects to an Open vSwitch bridge at its management socket.
type OpenFlow struct {
	path    string
	options openflow.Options
}

// NewOpenFlow makes a Connector to the unix socket path, as <rundir>/<bridge>.mgmt. The bridge's protocols must
// include OpenFlow13.
func NewOpenFlow(path string, o openflow.Options) *OpenFlow { return &OpenFlow{path, o} }

var (
	_ Connector = (*OpenFlow)(nil)
	_ Switch    = (*connection)(nil)
)

// Connect makes one attempt.
func (o *OpenFlow) Connect(ctx context.Context) (Switch, error) {
	changes, options := newForeign(), o.options
	options.Updates = changes.add
	c, err := openflow.Dial(ctx, o.path, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.path, err)
	}
	return &connection{c, changes}, nil
}

// connection is a Switch over OpenFlow.
type connection struct {
	*openflow.Conn
	foreign *foreign
}

// Apply sends new meters, then all other changes in one bundle, then the deletions of meters.
func (c *connection) Apply(ctx context.Context, d *flow.Delta) error {
	if err := c.setMeters(ctx, d.AddMeters, openflow.Add, openflow.Modify); err != nil {
		return err
	}
	if err := c.setMeters(ctx, d.ModMeters, openflow.Modify, openflow.Add); err != nil {
		return err
	}
	if err := c.changes(ctx, c.Transact, d.Len(), slices.Values([]*flow.Delta{d})); err != nil {
		return err
	}
	return c.meters(ctx, d.DelMeters, openflow.Delete)
}

// Forget sends one message for each selection.
func (c *connection) Forget(ctx context.Context, list []flow.Connections) error {
	err := c.Sequence(ctx, len(list), func(i int) openflow.Message { return &openflow.CTFlush{Connections: list[i]} })
	return refused(err, func(int, *Refusal) {})
}

// maxStreamed is the maximum number of changes in a stream; that many flows would need gigabytes in the switch.
const maxStreamed = 1 << 24

// Stream sends the pieces in one bundle, each as soon as it is compiled.
func (c *connection) Stream(ctx context.Context, pieces iter.Seq[*flow.Delta]) error {
	return c.changes(ctx, c.Transact, maxStreamed, pieces)
}

// Fill sends the pieces without a bundle, each as soon as it is compiled. It saves the switch a tenth of its work, and the wait for the
// last piece.
func (c *connection) Fill(ctx context.Context, pieces iter.Seq[*flow.Delta]) error {
	return c.changes(ctx, c.Sequence, maxStreamed, pieces)
}

// step is one command of a bundle, over groups or over flows.
type step struct {
	command openflow.Command
	groups  []flow.Group
	flows   []flow.Flow
	flags   uint16 // of flows
}

func (s *step) len() int { return len(s.groups) + len(s.flows) }

// steps lists the changes of d in the order of the bundle.
func steps(d *flow.Delta) []step {
	return []step{
		{command: openflow.Add, groups: d.AddGroups},
		{command: openflow.Modify, groups: d.ModGroups},
		{command: openflow.Add, flows: d.AddFlows},
		{command: openflow.Add, flows: d.ModFlows},
		{command: openflow.Add, flows: d.DrainFlows, flags: openflow.ResetCounts},
		{command: openflow.DeleteStrict, flows: d.DelFlows},
		{command: openflow.Delete, groups: d.DelGroups},
	}
}

// changes sends the groups and flows of the pieces, up to a maximum, as Transact or Sequence does.
func (c *connection) changes(ctx context.Context, send func(ctx context.Context, n int, next func(i int) openflow.Message) error, most int, pieces iter.Seq[*flow.Delta]) error {
	piece, stop := iter.Pull(pieces)
	defer stop()
	var groupMod openflow.GroupMod
	var flowMod openflow.FlowMod
	var sent, due []step
	at := 0
	err := send(ctx, most, func(int) openflow.Message {
		for len(due) == 0 || at == due[0].len() {
			at = 0
			if len(due) > 0 {
				due = due[1:]
				continue
			}
			d, ok := piece()
			if !ok {
				return nil
			}
			due = steps(d)
			sent = append(sent, due...)
		}
		s := &due[0]
		at++
		if s.groups != nil {
			groupMod = openflow.GroupMod{Command: s.command, Group: s.groups[at-1]}
			return &groupMod
		}
		flowMod = openflow.FlowMod{Command: s.command, Flow: s.flows[at-1], Flags: s.flags}
		return &flowMod
	})
	return refused(err, func(i int, r *Refusal) {
		for n := range sent {
			s := &sent[n]
			switch {
			case i < len(s.groups):
				r.Group = &s.groups[i]
				return
			case s.groups == nil && i < len(s.flows):
				r.Flow = &s.flows[i]
				return
			}
			i -= s.len()
		}
	})
}

// refused converts the codec's refusal to the package's; name sets the entry of message i.
func refused(err error, name func(i int, r *Refusal)) error {
	var said *openflow.RefusedError
	if !errors.As(err, &said) {
		return err
	}
	out := &RefusedError{}
	for _, x := range said.Refusals {
		r := Refusal{Reason: x.Err.Error()}
		if x.Index >= 0 {
			name(x.Index, &r)
		}
		out.Refusals = append(out.Refusals, r)
	}
	return out
}

// Stats returns the flows selected by only, with their counters.
func (c *connection) Stats(ctx context.Context, only openflow.FlowFilter) ([]openflow.FlowStats, error) {
	var out []openflow.FlowStats
	err := c.List(ctx, &openflow.MultipartRequest{Part: openflow.PartFlow, Filter: only}, func(m *openflow.MultipartReply) { out = append(out, m.Flows...) })
	if err != nil {
		return nil, fmt.Errorf("list flows: %w", err)
	}
	return out, nil
}

// allFlows selects every flow.
func allFlows() openflow.FlowFilter { return openflow.FlowFilter{Table: openflow.AllTables} }

// Dump implements Switch. It omits leased flows.
func (c *connection) Dump(ctx context.Context, share flow.Share) (flow.Set, error) {
	var s flow.Set
	only := allFlows()
	only.Cookie, only.CookieMask = flow.Cookie(share.At), share.Mask()
	requests := []*openflow.MultipartRequest{{Part: openflow.PartFlow, Filter: only}}
	if share.First() {
		requests = append(requests, &openflow.MultipartRequest{Part: openflow.PartGroupDesc},
			&openflow.MultipartRequest{Part: openflow.PartMeterConfig, Number: openflow.AllMeters})
	}
	for _, m := range requests {
		err := c.List(ctx, m, func(m *openflow.MultipartReply) {
			for i := range m.Flows {
				if m.Flows[i].Flow.Cookie.Feature() != flow.Leased {
					s.Flows = append(s.Flows, m.Flows[i].Flow)
				}
			}
			s.AddGroup(m.Groups...)
			s.AddMeter(slices.DeleteFunc(m.Meters, func(m flow.Meter) bool { return m.ID >= flow.LeasedMeters })...)
		})
		if err != nil {
			return flow.Set{}, fmt.Errorf("dump switch, part %d: %w", m.Part, err)
		}
	}
	return s, nil
}

// Filled counts the flows of each table.
func (c *connection) Filled(ctx context.Context) (n map[flow.TableID]int, err error) {
	n = map[flow.TableID]int{}
	err = c.List(ctx, &openflow.MultipartRequest{Part: openflow.PartTable}, func(m *openflow.MultipartReply) {
		for _, t := range m.Tables {
			n[t.Table] = int(t.Flows)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("count flows: %w", err)
	}
	return n, nil
}

// Ports lists the ports.
func (c *connection) Ports(ctx context.Context) ([]Port, error) {
	var out []Port
	err := c.List(ctx, &openflow.MultipartRequest{Part: openflow.PartPortDesc}, func(m *openflow.MultipartReply) {
		for _, p := range m.Ports {
			out = append(out, Port{Number: p.Number, Name: p.Name, MAC: p.MAC, Up: p.Up()})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("list ports: %w", err)
	}
	slices.SortFunc(out, func(a, b Port) int { return int(int64(a.Number) - int64(b.Number)) })
	return out, nil
}

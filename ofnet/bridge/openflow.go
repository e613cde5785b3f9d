package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
)

// OpenFlow connects to an Open vSwitch bridge by its management socket.
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

// Connect dials once.
func (o *OpenFlow) Connect(ctx context.Context) (Switch, error) {
	c, err := openflow.Dial(ctx, o.path, o.options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.path, err)
	}
	return &connection{c}, nil
}

// connection is a Switch over OpenFlow.
type connection struct{ *openflow.Conn }

// Apply sends new meters, then everything else in one bundle, then takes old meters away.
func (c *connection) Apply(ctx context.Context, d *flow.Delta) error {
	meters := append(slices.Clip(d.AddMeters), d.ModMeters...)
	if err := c.meters(ctx, meters, func(i int) openflow.Command {
		if i < len(d.AddMeters) {
			return openflow.Add
		}
		return openflow.Modify
	}); err != nil {
		return err
	}
	if err := c.bundle(ctx, d); err != nil {
		return err
	}
	return c.meters(ctx, d.DelMeters, func(int) openflow.Command { return openflow.Delete })
}

func (c *connection) meters(ctx context.Context, list []flow.Meter, command func(i int) openflow.Command) error {
	err := c.Sequence(ctx, len(list), func(i int) openflow.Message {
		return &openflow.MeterMod{Command: command(i), Meter: list[i]}
	})
	return refused(err, func(i int, r *Refusal) { r.Meter = &list[i] })
}

func (c *connection) bundle(ctx context.Context, d *flow.Delta) error {
	steps := []struct {
		command openflow.Command
		groups  []flow.Group
		flows   []flow.Flow
	}{
		{openflow.Add, d.AddGroups, nil},
		{openflow.Modify, d.ModGroups, nil},
		{openflow.Add, nil, d.AddFlows},
		{openflow.Add, nil, d.ModFlows},
		{openflow.DeleteStrict, nil, d.DelFlows},
		{openflow.Delete, d.DelGroups, nil},
	}
	total := 0
	for _, s := range steps {
		total += len(s.groups) + len(s.flows)
	}
	var groupMod openflow.GroupMod
	var flowMod openflow.FlowMod
	step, at := 0, 0
	err := c.Transact(ctx, total, func(int) openflow.Message {
		for at == len(steps[step].groups)+len(steps[step].flows) {
			step, at = step+1, 0
		}
		s := &steps[step]
		at++
		if s.groups != nil {
			groupMod = openflow.GroupMod{Command: s.command, Group: s.groups[at-1]}
			return &groupMod
		}
		flowMod = openflow.FlowMod{Command: s.command, Flow: s.flows[at-1]}
		return &flowMod
	})
	return refused(err, func(i int, r *Refusal) {
		for n := range steps {
			s := &steps[n]
			switch {
			case i < len(s.groups):
				r.Group = &s.groups[i]
				return
			case s.groups == nil && i < len(s.flows):
				r.Flow = &s.flows[i]
				return
			}
			i -= len(s.groups) + len(s.flows)
		}
	})
}

// refused turns the codec's refusal into the package's; name fills in the entry behind message i.
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

// Stats returns the flows with their counters.
func (c *connection) Stats(ctx context.Context) ([]openflow.FlowStats, error) {
	var out []openflow.FlowStats
	err := c.List(ctx, allFlows(), func(m *openflow.MultipartReply) { out = append(out, m.Flows...) })
	if err != nil {
		return nil, fmt.Errorf("list flows: %w", err)
	}
	return out, nil
}

func allFlows() *openflow.MultipartRequest {
	return &openflow.MultipartRequest{Part: openflow.PartFlow, Filter: openflow.FlowFilter{Table: openflow.AllTables}}
}

// Dump lists flows, groups and meters.
func (c *connection) Dump(ctx context.Context) (flow.Set, error) {
	var s flow.Set
	for _, m := range []*openflow.MultipartRequest{
		allFlows(),
		{Part: openflow.PartGroupDesc},
		{Part: openflow.PartMeterConfig, Number: openflow.AllMeters},
	} {
		err := c.List(ctx, m, func(m *openflow.MultipartReply) {
			for i := range m.Flows {
				s.Flows = append(s.Flows, m.Flows[i].Flow)
			}
			s.AddGroup(m.Groups...)
			s.AddMeter(m.Meters...)
		})
		if err != nil {
			return flow.Set{}, fmt.Errorf("dump switch, part %d: %w", m.Part, err)
		}
	}
	return s, nil
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

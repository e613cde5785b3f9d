package bridge

import (
	"context"
	"errors"

	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
)

// setMeters sends meters by one command, and by the other those for which the switch refuses the first: a meter may be left from an agent that
// was killed, or be gone, before this agent has listed the switch's meters. The error of the other command is the one that counts.
func (c *connection) setMeters(ctx context.Context, list []flow.Meter, first, other openflow.Command) error {
	err := c.meters(ctx, list, first)
	said, ok := errors.AsType[*RefusedError](err)
	if !ok {
		return err
	}
	again := make([]flow.Meter, 0, len(said.Refusals))
	for _, r := range said.Refusals {
		if r.Meter == nil {
			return err
		}
		again = append(again, *r.Meter)
	}
	return c.meters(ctx, again, other)
}

// meters sends one command for each meter. A meter is set or refused for itself.
func (c *connection) meters(ctx context.Context, list []flow.Meter, command openflow.Command) error {
	err := c.Sequence(ctx, len(list), func(i int) openflow.Message {
		return &openflow.MeterMod{Command: command, Meter: list[i]}
	})
	return refused(err, func(i int, r *Refusal) { r.Meter = &list[i] })
}

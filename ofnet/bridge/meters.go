// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"errors"

	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
)

// setMeters sends meters with one command, and sends those that the switch refuses with the other: a killed agent may have left a meter, or
// a meter may be gone, before this agent has listed the switch's meters. It returns the error of the second command.
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

// meters sends one command for each meter. The switch accepts or refuses each meter by itself.
func (c *connection) meters(ctx context.Context, list []flow.Meter, command openflow.Command) error {
	err := c.Sequence(ctx, len(list), func(i int) openflow.Message {
		return &openflow.MeterMod{Command: command, Meter: list[i]}
	})
	return refused(err, func(i int, r *Refusal) { r.Meter = &list[i] })
}

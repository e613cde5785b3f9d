// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"errors"
	"fmt"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
)

// unused is a zone of the tracker that no tenant uses.
const unused = 65535

// Missing asks the switch, over a connection of its own, for the meters and groups that a pipeline needs, and for NXT_CT_FLUSH (Open
// vSwitch 3.1), and returns the missing abilities, and how many meters and groups the switch has room for.
func (o *OpenFlow) Missing(ctx context.Context) (lacks ofnet.Abilities, room Room, err error) {
	c, err := openflow.Dial(ctx, o.path, o.options)
	if err != nil {
		return 0, room, fmt.Errorf("%s: %w", o.path, err)
	}
	defer func() { _ = c.Close() }()
	var can openflow.Can
	for _, part := range []openflow.Part{openflow.PartGroupFeatures, openflow.PartMeterFeatures} {
		err := c.List(ctx, &openflow.MultipartRequest{Part: part}, func(m *openflow.MultipartReply) {
			if m.Can != nil {
				can.Groups, can.Meters, can.Bands = can.Groups|m.Can.Groups, can.Meters|m.Can.Meters, can.Bands|m.Can.Bands
				room.Groups = max(room.Groups, min(m.Can.GroupLimits[flow.GroupAll], m.Can.GroupLimits[flow.GroupSelect]))
			}
		})
		if err != nil {
			return 0, room, fmt.Errorf("ask the switch for its features, part %d: %w", part, err)
		}
	}
	lacks, room.Meters = lackedOf(can), can.Meters
	var no *RefusedError
	switch err := (&connection{Conn: c}).Forget(ctx, []flow.Connections{{Zone: unused, Protocol: ofnet.ProtocolTCP}}); {
	case errors.As(err, &no):
		lacks |= ofnet.Forgetting
	case err != nil:
		return 0, room, fmt.Errorf("ask the switch to forget connections: %w", err)
	}
	return lacks, room, nil
}

// Room is the largest number of meters, and of groups of each type that a pipeline uses; 0: unknown, or none.
type Room struct{ Meters, Groups uint32 }

func lackedOf(can openflow.Can) (lacks ofnet.Abilities) {
	const groups = 1<<flow.GroupAll | 1<<flow.GroupSelect
	if can.Groups&groups != groups {
		lacks |= ofnet.Groups
	}
	if can.Meters == 0 || can.Bands&(1<<openflow.BandDrop) == 0 {
		lacks |= ofnet.Meters
	}
	return lacks
}

// SPDX-License-Identifier: Apache-2.0

package vswitch

import (
	"context"
	"fmt"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/openflow"
)

// probe determines the abilities of the switch and its datapath, so that the flows need no others.
func (p *Preparer) probe(ctx context.Context) error {
	capabilities, err := p.Conn.Switch.Capabilities(ctx)
	if err != nil {
		return err
	}
	lacks, room, err := bridge.NewOpenFlow(p.Conn.Socket(), openflow.Options{}).Missing(ctx)
	if err != nil {
		return err
	}
	p.room.Store(&room)
	lacks |= ofnet.LackedBy(capabilities)
	if needed := lacks.Needed(); needed != 0 && needed != p.Records.Unsupported().Needed() {
		p.Log.Error("datapath", "error", fmt.Errorf("datapath %s cannot do %s, so %s do not work: boot another kernel, or use --datapath netdev",
			p.Conn.Switch.DatapathType(), needed, needed.Means()))
	}
	p.Records.SetUnsupported(lacks)
	return nil
}

// Used returns a function that returns how many meters and groups the switch has room for, and how many of them are desired; nothing before
// the switch is prepared.
func (p *Preparer) Used(summary func() bridge.Summary) func() []model.Resource {
	return func() []model.Resource {
		room := p.room.Load()
		if room == nil {
			return nil
		}
		s := summary()
		return []model.Resource{{Name: "meters", Used: uint64(s.Meters), Max: uint64(room.Meters)}, {Name: "groups", Used: uint64(s.Groups), Max: uint64(room.Groups)}}
	}
}

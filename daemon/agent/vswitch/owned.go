// SPDX-License-Identifier: Apache-2.0

package vswitch

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/daemon/agent/drift"
	"github.com/contiv/contiv/daemon/agent/hostcheck"
	"github.com/contiv/contiv/daemon/agent/part"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// Part returns the tasks and checks of the switch, and the state of it that the agent maintains: first what closes the host to containers,
// then the bridge and its ports.
func (p *Preparer) Part() part.Part {
	sw := &hostcheck.Switch{Host: p.Host, OpenFlow: p.Conn.Socket(), OVSDB: filepath.Join(p.RunDir, "db.sock"),
		Missing: func() bool { d, _ := p.Conn.Switch.BridgeDrift(); return d.Gone }, Waits: p.Conn.restoring,
		Started: func() (time.Duration, error) { return vswitchd.Started(p.RunDir) }}
	datapath := &hostcheck.Datapath{Host: p.Host, Type: p.Conn.Switch.DatapathType, Unsupported: p.Records.Unsupported}
	host := func(string) ofnet.Key { return ofnet.Key{Kind: ofnet.KindHost, Name: p.Host} }
	return part.Part{
		Tasks:  []task.Task{task.Func("preparation of the switch", p.Run)},
		Checks: []check.Check{sw.Check(), datapath.Check()},
		Owned: []drift.Source{
			&drift.Own{Sort: drift.KindTable, What: "nftables table", Owner: host, Of: p.Links.Tables()},
			&drift.Own{Sort: drift.KindInterface, What: "interface", Owner: p.ownerOfEnd, Of: p.Links.Ends()},
			&drift.Bridge{Host: p.Host, Name: Bridge, Switch: p.Conn.Switch, Prepare: p.Prepare},
			&drift.Ports{Host: p.Host, Switch: p.Conn.Switch},
		},
	}
}

// ownerOfEnd returns the endpoint whose host end has a name.
func (p *Preparer) ownerOfEnd(name string) ofnet.Key {
	if port, ok := p.Conn.Switch.Port(name); ok && port.ExternalIDs[ovsdb.IDEndpoint] != "" {
		return ofnet.Key{Kind: ofnet.KindEndpoint, Name: port.ExternalIDs[ovsdb.IDEndpoint]}
	}
	return ofnet.Key{Kind: ofnet.KindHost, Name: p.Host}
}

// adoptEnds adopts the host ends that an earlier agent has created. An agent of an earlier build may have configured them differently,
// which is not drift.
func (p *Preparer) adoptEnds() {
	for _, port := range p.Conn.Switch.Ports(ovsdb.IDContainer, "") {
		p.Links.Ends().Adopt(port.Name)
	}
	open, err := p.Links.Ends().Drift()
	for _, d := range open {
		err = errors.Join(err, p.Links.Ends().Repair(d.Name))
	}
	if err != nil {
		p.Log.Warn("host ends of containers not closed to the host; retrying", "error", err)
	}
}

// Prepare creates and configures the bridge and its fixed ports, and restores the numbers of containers' ports. It blocks until
// ovs-vswitchd has done so, or ctx ends.
func (p *Preparer) Prepare(ctx context.Context) error {
	p.turn.Lock()
	defer p.turn.Unlock()
	if err := p.prepareOnce(ctx); err != nil {
		return err
	}
	if err := p.Attach.Rename(ctx); err != nil {
		return err
	}
	p.Attach.Restore()
	p.Conn.LimitARP()
	return nil
}

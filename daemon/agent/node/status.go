// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"encoding/json"
	"net/netip"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/inspect"
	"github.com/contiv/contiv/daemon/agent/vswitch"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/skew"
	"github.com/contiv/contiv/ofnet/bridge"
)

// Status returns the state of the agent.
func (n *Node) Status() model.AgentStatus {
	sum := n.forward.Summary()
	seen, _ := n.records.Seen()
	w := n.Waiting()
	s := model.AgentStatus{Host: n.Host, Version: n.Version.Version, Protocol: skew.Protocol.String(), Since: n.started.UTC().Format(time.RFC3339),
		Ready: len(w) == 0, Waiting: w, Datapath: n.conn.Switch.DatapathType(), VTEP: n.Addresses.VTEP.String(), Master: n.member.Channel.With(), Seen: seen,
		Revision: sum.Revision, Flows: sum.Flows, Groups: sum.Groups, Endpoints: len(n.attach.List()),
		FlowMods: n.forward.Counters().FlowMods, Uplinks: n.trunk.Status(), Bond: n.Uplinks.Together()}
	portless := len(n.attach.Portless())
	s.Portless = &portless
	if !sum.Passed.IsZero() {
		s.At = sum.Passed.UTC().Format(time.RFC3339Nano)
	}
	s.Authorities, s.Authority = n.member.Proves()
	if n.Logs != nil {
		s.OtherError = n.Logs.LastError()
	}
	s.Docker, s.Mode = n.engine.Status(), n.engine.Mode(n.Env.Mode)
	if sum.Failed > 0 {
		for _, o := range n.forward.Status() {
			if o.Err != "" {
				s.Errors = append(s.Errors, inspect.Owner(o))
			}
		}
	}
	s.Differs, s.Findings, s.MTU = n.drift.Left(), n.examiner.Findings(), n.size.MTU()
	for _, d := range n.drift.Stuck() {
		s.Errors = append(s.Errors, model.OwnerStatus{Owner: d.Owner, Phase: bridge.Failed.String(), Revision: sum.Revision, Error: d.Text()})
	}
	return s
}

// driver is the part of /inspect/driver that the original kept for each of its two bridges.
func (n *Node) driver() inspect.Driver {
	d := inspect.Driver{LocalIP: n.Addresses.VTEP.String(), Connected: n.forward.Connected(), Bridge: vswitch.Bridge,
		FwdMode: string(n.records.Global().FwdMode), ArpMode: string(n.records.Global().ArpMode), MTU: n.size.MTU()}
	for _, u := range n.trunk.Status() {
		d.Uplinks = append(d.Uplinks, inspect.Uplink(u))
	}
	d.Endpoints = append(d.Endpoints, n.records.Local()...)
	d.Masters = n.records.Masters()
	for _, h := range n.records.Machines() {
		d.VTEPs = append(d.VTEPs, netip.AddrPortFrom(h.VTEP, uint16(h.Port)))
	}
	return d
}

// reporter reports the state of the agent to netmasters.
type reporter struct{ n *Node }

func (r reporter) Revision() uint64 { return r.n.forward.Revision() }

func (r reporter) Wait(ctx context.Context, rev uint64) error { return r.n.forward.Wait(ctx, rev) }

func (r reporter) Status() ([]byte, error) { return json.Marshal(r.n.Status()) }

func (r reporter) Held() (channel.Mark, map[channel.Shard]channel.Digest) { return r.n.records.Held() }

// Attached lists the endpoints that have an interface on this host.
func (r reporter) Attached() (out []string) {
	for _, a := range r.n.attach.List() {
		out = append(out, a.StateID)
	}
	return out
}

// Ported lists the endpoints of this host that the switch's external ids describe.
func (r reporter) Ported() []record.Endpoint { return r.n.attach.Ported() }

// containerName returns the runtime's name of an endpoint's container, or of its pod, as "namespace/pod"; "" when that is not known.
func (n *Node) containerName(endpoint string) string {
	e, _ := n.records.Endpoint(endpoint)
	if pod := e.Pod.ID; !pod.IsZero() {
		return pod.Path()
	}
	return e.CommonName
}

// SPDX-License-Identifier: Apache-2.0

package node

import (
	"net/netip"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/daemon/agent/inspect"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/daemon/usage"
	"github.com/contiv/contiv/ofnet/capture"
	"github.com/contiv/contiv/ofnet/link"
)

// InspectSocket is the name of the unix socket for inspection, beside that of CNI.
const InspectSocket = "contiv-agent.sock"

// inspectors returns the listeners of the inspection API: the control address, and a unix socket for root, serve everything. Loopback,
// which every account of the host can reach, serves only health, or, without certificates, the requests that change nothing.
func (n *Node) inspectors() (doors []task.Task) {
	if n.InspectPort == 0 {
		return nil
	}
	everything := inspect.Handler(n.inspection())
	elsewhere := netip.AddrPortFrom(n.Addresses.Control, uint16(n.InspectPort)).String()
	if n.CNI.Socket != "" {
		path := filepath.Join(filepath.Dir(n.CNI.Socket), InspectSocket)
		elsewhere = path + " as root"
		doors = append(doors, inspect.NewSocket(path, everything, n.Log))
	}
	loopback := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(n.InspectPort))
	at := []netip.AddrPort{loopback}
	if n.Addresses.Control.IsValid() {
		control := netip.AddrPortFrom(n.Addresses.Control, uint16(n.InspectPort))
		doors = append(doors, inspect.NewServer([]netip.AddrPort{control}, inspect.Proved(everything, n.Trust), n.Trust, n.bounds, n.Log))
		if control == loopback { // a cluster of one machine, whose master asks there
			at = nil
		}
	}
	if at != nil {
		local := inspect.ReadOnly(everything, elsewhere)
		if n.Trust != nil {
			local = inspect.Healthy(everything, elsewhere)
		}
		doors = append(doors, inspect.NewServer(at, local, nil, n.bounds, n.Log))
	}
	return doors
}

func (n *Node) inspection() inspect.Options {
	o := inspect.Options{Forward: n.forward, Attach: n.attach, Pipeline: n.flows, Status: n.Status, Waiting: n.Waiting,
		Driver: n.driver, Called: n.containerName, ICMPErrors: n.answers.Sent, Malformed: n.records.Malformed, Services: n.records.Services, Router: n.router.Status, Version: n.Version, Now: time.Now,
		NextHop: n.nextHop, Findings: n.examiner.Now, Control: n.conn.Control, Drift: n.drift, Observes: n.Observe, Bounds: n.bounds, Log: n.Log, Recent: n.Recent, Logs: n.Logs, Closed: n.access.Refuses, Ports: n.access, Reach: n.links.Reach, Metrics: append(n.comparer.Metrics(), n.attach.Durations(), usage.NewCollector("agent", n.usage.Last)),
		Packets: func(ifname string) (capture.Source, error) {
			return link.OpenPackets(n.Namespace, ifname, capture.MaxFrame)
		}}
	if n.Trust != nil {
		o.Expires = func() time.Time { return n.Trust.Certificate().NotAfter }
	}
	if n.observer != nil {
		o.Observed = n.observer.Stream
	}
	if n.resolver != nil {
		o.Names = &inspect.Names{List: n.zone.List, Counts: n.resolver.Counts, PacketIns: n.questions.Counts}
	}
	return o
}

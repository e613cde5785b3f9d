package node

import (
	"context"
	"net/netip"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/dockerd"
	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/daemon/agent/inspect"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/capture"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/unixctl"
)

// InspectSocket is the name of the unix socket for inspection, beside that of CNI.
const InspectSocket = "contiv-agent.sock"

// inspectors are the doors of inspection: the control address, and a unix socket for root, serve everything; loopback, where
// every account of the host can ask, serves health alone, or what changes nothing where no one proves anything. There are no others.
func (n *Node) inspectors() (doors []task.Task) {
	everything := inspect.Handler(n.inspection())
	elsewhere := netip.AddrPortFrom(n.CtrlIP, uint16(n.InspectPort)).String()
	if n.CNISocket != "" {
		path := filepath.Join(filepath.Dir(n.CNISocket), InspectSocket)
		elsewhere = path + " as root"
		doors = append(doors, inspect.NewSocket(path, everything, n.Log))
	}
	loopback := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(n.InspectPort))
	at := []netip.AddrPort{loopback}
	if n.CtrlIP.IsValid() {
		control := netip.AddrPortFrom(n.CtrlIP, uint16(n.InspectPort))
		doors = append(doors, inspect.NewServer([]netip.AddrPort{control}, inspect.Proved(everything, n.Trust), n.Trust, n.Limits, n.Log))
		if control == loopback { // a cluster of one machine, whose master asks there
			at = nil
		}
	}
	if at != nil {
		local := inspect.ReadOnly(everything, elsewhere)
		if n.Trust != nil {
			local = inspect.Healthy(everything, elsewhere)
		}
		doors = append(doors, inspect.NewServer(at, local, nil, n.Limits, n.Log))
	}
	return doors
}

func (n *Node) inspection() inspect.Options {
	o := inspect.Options{Forward: n.forward, Attach: n.attach, Pipeline: n.flows, Status: n.Status, Waiting: n.Waiting,
		Driver: n.driver, Called: n.containerName, Told: n.answers.Told, Malformed: n.desired.Malformed, Services: n.desired.Services, Router: n.router.Status, Version: n.Version, Now: time.Now,
		Onward: n.onward, Findings: n.examiner.Now, Control: n.control, Drift: n.drift, Observes: n.Observe, Limits: n.Limits, Log: n.Log, Recent: n.Recent, Closed: n.access.Refuses, Ports: n.access, Reach: n.links.Reach,
		Packets: func(ifname string) (capture.Source, error) {
			return link.OpenPackets(n.Namespace, ifname, capture.MostFrame)
		}}
	if n.observer != nil {
		o.Observed = n.observer.Stream
	}
	if n.resolver != nil {
		o.Names = &inspect.Names{List: n.zone.List, Counts: n.resolver.Counts, PacketIns: n.questions.Counts}
	}
	return o
}

// onward is what the host's kernel does with what comes from containers.
func (n *Node) onward(src, dst netip.Addr) (link.Onward, error) {
	return n.links.Onward(hostaccess.PortName, src, dst)
}

// control runs a command of ovs-vswitchd.
func (n *Node) control(ctx context.Context, command string, args ...string) (string, error) {
	path, err := unixctl.Socket(n.OVSRunDir)
	if err != nil {
		return "", err
	}
	conn, err := unixctl.Dial(ctx, path)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	return conn.Do(ctx, command, args...)
}

// Status is what the agent says of itself.
func (n *Node) Status() model.AgentStatus {
	sum := n.forward.Summary()
	seen, _ := n.desired.Seen()
	w := n.Waiting()
	s := model.AgentStatus{Host: n.Host, Version: n.Version.Version, Since: n.started.UTC().Format(time.RFC3339),
		Ready: len(w) == 0, Waiting: w, Datapath: n.sw.DatapathType(), VTEP: n.VTEP.String(), Master: n.told.With(), Seen: seen,
		Revision: sum.Revision, Flows: sum.Flows, Groups: sum.Groups, Endpoints: len(n.attach.List()),
		FlowMods: n.forward.Counters().FlowMods, Mode: n.mode(), Uplinks: n.uplinks(), Bond: n.bond()}
	if !sum.Passed.IsZero() {
		s.At = sum.Passed.UTC().Format(time.RFC3339Nano)
	}
	if n.engine.has() {
		s.Docker = dockerd.Status(n.engine.watcher, n.engine.keeper)
	}
	if sum.Failed > 0 {
		for _, o := range n.forward.Status() {
			if o.Err != "" {
				s.Errors = append(s.Errors, inspect.Owner(o))
			}
		}
	}
	s.Differs, s.Findings, s.MTU = n.drift.Left(), n.examiner.Findings(), int(n.mtu.Load())
	for _, d := range n.drift.Stuck() {
		s.Errors = append(s.Errors, model.OwnerStatus{Owner: d.Owner, Phase: bridge.Failed.String(), Revision: sum.Revision, Error: d.Text()})
	}
	return s
}

// driver is the part of /inspect/driver that the original kept for each of its two bridges.
func (n *Node) driver() inspect.Driver {
	d := inspect.Driver{LocalIP: n.VTEP.String(), Connected: n.forward.Connected(), Bridge: BridgeName,
		FwdMode: string(n.desired.Global().FwdMode), ArpMode: string(n.desired.Global().ArpMode), MTU: int(n.mtu.Load())}
	for _, u := range n.uplinks() {
		d.Uplinks = append(d.Uplinks, inspect.Uplink(u))
	}
	d.Endpoints = append(d.Endpoints, n.desired.Local()...)
	d.Masters = n.desired.Masters()
	for _, h := range n.desired.Machines() {
		d.VTEPs = append(d.VTEPs, netip.AddrPortFrom(h.VTEP, uint16(h.Port)))
	}
	return d
}

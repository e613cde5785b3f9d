// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/daemon/agent/bgp"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/daemon/agent/cni"
	"github.com/contiv/contiv/daemon/agent/conflicts"
	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/agent/dockerhost"
	"github.com/contiv/contiv/daemon/agent/drift"
	"github.com/contiv/contiv/daemon/agent/healthport"
	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/daemon/agent/hostcheck"
	"github.com/contiv/contiv/daemon/agent/part"
	"github.com/contiv/contiv/daemon/agent/pathprobe"
	"github.com/contiv/contiv/daemon/agent/tracker"
	"github.com/contiv/contiv/daemon/agent/underlay"
	"github.com/contiv/contiv/daemon/agent/vswitch"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// resolvConf names the host's name servers (resolv.conf(5)).
const resolvConf = "/etc/resolv.conf"

// portBGP is where a router listens (RFC 4271 section 8.2.1).
const portBGP = 179

// parts returns the parts of the agent, in the order in which they start and repair. Those that need the switch wait for it themselves.
func (n *Node) parts(stages *part.Stages) (all part.Part, err error) {
	cni, err := n.CNI.Part(cni.Options{Traces: n.Traces, Attach: n.attach, Access: n.access, Starting: n.starting, Waiting: n.Waiting,
		Cut: func() bool { return !n.forward.Whole() }, Timeout: n.CNITimeout, Log: n.Log})
	if err != nil {
		return all, err
	}
	return part.Join(
		part.Part{Tasks: []task.Task{n.conn.DB, task.Func("instance at the switch", n.instance.Run)}},
		n.member.Part(),
		(&underlay.AddressReporter{Links: n.links, Switch: n.conn.Switch, Registration: n.member.Registration, Uplinks: n.Uplinks.NICs,
			Ours: []string{vswitch.Bridge, vswitch.TunnelName, bgp.InterfaceName}, Log: n.Log}).Part(),
		n.kernel(),
		n.preparer.Part(),
		n.forwarding(stages),
		n.containers(stages),
		part.Part{Tasks: []task.Task{stages.AfterPreparation("messages to senders", n.answers.Run)}},
		n.hostAccess(stages),
		n.connections(stages),
		n.trunk.Part(stages),
		n.announcements(stages),
		underlay.New(underlay.Options{Host: n.Host, Size: n.size, Links: n.links, Records: n.records, Switch: n.conn, Adjust: n.attach.AdjustMTU, Log: n.Log}).Part(stages),
		pathprobe.NewProbing(pathprobe.ProbingOptions{Host: n.Host, Version: n.Version.Version, Port: n.Switch.VXLANPort, VTEP: n.Addresses.VTEP, Socket: n.conn.Socket(),
			View: n.forward.View, Records: n.records, Room: n.size.Room, Log: n.Log}).Part(stages),
		n.conflicts(stages),
		n.routing(stages),
		n.nameServer(stages),
		part.Part{Tasks: []task.Task{task.Func("readiness", n.watchReadiness)}},
		cni,
		n.engine.Part(dockerhost.Options{Host: n.Host, Attach: n.attach, Access: n.access, Records: n.records, Master: n.Master, Starting: n.starting,
			Serving: stages.Serving, Appeared: n.member.Channel.Again, Log: n.Log}),
	), nil
}

// kernel is what the agent hears of the kernel, and the settings that it keeps.
func (n *Node) kernel() part.Part {
	resources := &hostcheck.Resources{Host: n.Host, Now: n.usage.Now}
	return part.Part{
		Tasks: []task.Task{
			part.Started("interface reaper", func(ctx context.Context) error { return n.links.Reap(ctx, n.Log) }),
			part.Started("notifications of the kernel", n.links.Watch),
		},
		Checks: []check.Check{resources.Check()},
	}
}

// forwarding is the records of the cluster and the flows that follow from them.
func (n *Node) forwarding(stages *part.Stages) part.Part {
	following := desired.Following{Source: n.member.Follow(reporter{n}), Restore: n.router.Restore, Closed: n.access.Shut}
	crowded := &hostcheck.Policies{Host: n.Host, Crowded: n.crowded}
	refusals := &hostcheck.Refusals{Host: n.Host, Rules: n.rules, Now: time.Now, Hits: n.hits("policy")}
	return part.Part{
		Tasks: []task.Task{
			stages.AfterPreparation("flow reconciler", n.forward.Run),
			stages.AfterPreparation(n.records.String(), func(ctx context.Context) error { return n.records.Run(ctx, following) }),
			stages.AfterSync("first flows", n.awaitFlows),
			stages.AfterSync("comparison of policies and switch", n.comparer.Run),
		},
		Checks: []check.Check{crowded.Check(), refusals.Check(), n.comparer.Check()},
	}
}

// awaitFlows waits for the first flows.
func (n *Node) awaitFlows(ctx context.Context) error {
	seen, _ := n.records.Seen()
	if err := n.forward.Wait(ctx, seen); err == nil && n.Programmed != nil {
		n.Programmed()
	}
	<-ctx.Done() // a task that ends, ends the agent
	return nil
}

// hits returns a function that returns the counters of a feature's flows.
func (n *Node) hits(feature string) func(ctx context.Context) (map[uint64]bridge.Hits, error) {
	number := n.flows.Number(feature)
	return func(ctx context.Context) (map[uint64]bridge.Hits, error) { return n.forward.Hits(ctx, number) }
}

// containers is their interfaces.
func (n *Node) containers(stages *part.Stages) part.Part {
	seen := &hostcheck.Containers{Host: n.Host, Attached: n.attach.Configured, Services: n.records.Services, Look: n.links.Look}
	failed := &hostcheck.Attachments{Failures: n.attach.Failures}
	return part.Part{
		Tasks: []task.Task{part.Started("sweep", part.Await(stages.Synced, func(ctx context.Context) error {
			if err := n.attach.AdjustMTU(ctx); err != nil { // it may have changed while no agent ran
				n.Log.Warn("MTU of containers", "error", err)
			}
			return n.attach.Run(ctx, n.SweepInterval)
		}))},
		Checks: []check.Check{seen.Check(), failed.Check()},
		Owned:  []drift.Source{n.attach.LostPorts(), n.attach.CutOff()},
	}
}

// hostAccess is how containers and their host reach each other.
func (n *Node) hostAccess(stages *part.Stages) part.Part {
	out := &hostcheck.ExternalPath{Host: n.Host, Routes: n.access.Leaving, NextHop: n.nextHop, Unrouted: link.Unrouted, Now: time.Now,
		Sent: func() (uint64, error) { return link.Received(hostaccess.PortName) }}
	overlap := &hostcheck.Overlap{Host: n.Host, Private: n.access.Private, Find: n.links.Claimed}
	published := &hostcheck.Published{Host: n.Host, Unreached: n.access.Unreached, Kept: n.access.Kept}
	owner := func(string) ofnet.Key { return ofnet.Key{Kind: ofnet.KindHost, Name: n.Host} }
	return part.Part{
		Tasks: []task.Task{
			part.Started("addresses of names", n.names.Run),
			stages.AfterSync("host access", n.access.Run),
		},
		Checks: []check.Check{out.Check(), overlap.Check(), published.Check()},
		Owned:  []drift.Source{&drift.Own{Sort: drift.KindSetting, What: "setting", Owner: owner, Of: n.links.Settings()}, n.access},
	}
}

// connections is the connection tracker, and the log of connections.
func (n *Node) connections(stages *part.Stages) part.Part {
	keeper := tracker.New(tracker.Config{Datapath: n.conn.Switch.DatapathType, Control: n.conn.Control, View: n.forward.View, Proc: "/proc",
		Ledger: vswitch.LimitsFile(n.Switch.RunDir), Now: time.Now, Log: n.Log})
	tracked := &hostcheck.Tracker{Host: n.Host, Usage: keeper.Usage}
	p := part.Part{Tasks: []task.Task{stages.AfterSync("limits of the connection tracker", keeper.Run)}, Checks: []check.Check{tracked.Check()}}
	if n.observer != nil {
		p.Tasks = append(p.Tasks, stages.AfterSync("observed connections", n.observer.Run))
	}
	return p
}

// announcements has switches outside learn where containers are.
func (n *Node) announcements(stages *part.Stages) (p part.Part) {
	if len(n.Uplinks.NICs) > 0 {
		p.Tasks = []task.Task{stages.AfterPreparation("announcements", func(ctx context.Context) error {
			return n.answers.Announce(ctx, n.records.Changed, n.forward.View)
		})}
	}
	return p
}

// conflicts is who has containers' addresses.
func (n *Node) conflicts(stages *part.Stages) part.Part {
	claims := conflicts.NewDetector(conflicts.DetectorOptions{Host: n.Host, Socket: n.conn.Socket(), View: n.forward.View, Uplink: n.Uplinks.Name, Log: n.Log})
	spoofs := conflicts.NewSpoofs(conflicts.SpoofOptions{View: n.forward.View, Hits: n.hits(string(pipeline.Spoofed))})
	return conflicts.Part(stages, claims, spoofs, len(n.Uplinks.NICs) > 0)
}

// routing is the BGP router, and where services are healthy.
func (n *Node) routing(stages *part.Stages) part.Part {
	routed := &hostcheck.Router{Host: n.Host, Status: n.router.Status}
	health := &healthport.Controller{Healths: n.records.Healths, Changed: n.records.Surroundings, Healthy: n.forward.Connected, Log: n.Log}
	return part.Part{
		Tasks:  []task.Task{stages.AfterSync("BGP", n.router.Run), stages.AfterSync("health of services", health.Run)},
		Checks: []check.Check{routed.Check()},
	}
}

// nameServer serves the names of containers.
func (n *Node) nameServer(stages *part.Stages) (p part.Part) {
	if n.questions != nil {
		p.Tasks = []task.Task{
			stages.AfterSync("names", n.questions.Run),
			stages.AfterSync("names over TCP", func(ctx context.Context) error { return n.resolver.Serve(ctx, n.links.Listen) }),
		}
	}
	return p
}

// closed returns what is closed to containers.
func (n *Node) closed() hostaccess.Closed {
	c := hostaccess.Closed{Open: n.Access.Open, Prefixes: n.Access.Prefixes, Doors: []link.GuardedInterface{{Name: bgp.InterfaceName, Port: portBGP}},
		Members: n.names.Members, Reported: n.records.Reported}
	c.Shut = append(slices.Clone(n.Access.Shut), link.Ports{Protocol: unix.IPPROTO_UDP, First: uint16(n.Switch.VXLANPort), Last: uint16(n.Switch.VXLANPort)})
	if !n.DNS.Off {
		c.Names = pipeline.NamesPort
	}
	return c
}

// tunnels reports whether what leaves on a VLAN may end in a tunnel: networks are routed to each other, or hosts are met.
func (n *Node) tunnels() bool { return n.records.Routing() || n.records.Direct() }

// fwdMode returns the cluster's forwarding mode.
func (n *Node) fwdMode() string { return string(n.records.Global().FwdMode) }

// rules returns those of groups, of any host.
func (n *Node) rules() (out []ofnet.AttachedRule) {
	n.forward.View(func(s *ofnet.State) { out = slices.Collect(s.AttachedRules()) })
	return out
}

// crowded returns the policies of Kubernetes of which some rules have no place in the switch.
func (n *Node) crowded() (out []*ofnet.ClassPolicy) {
	n.forward.View(func(s *ofnet.State) { out = s.Crowded() })
	return out
}

// nextHop returns what the host's kernel does with what comes from containers.
func (n *Node) nextHop(src, dst netip.Addr) (link.NextHop, error) {
	return n.links.NextHop(hostaccess.PortName, src, dst)
}

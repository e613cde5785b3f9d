// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// Closed describes what containers cannot reach by way of the host, beside its own ports, and the exceptions.
type Closed struct {
	Open     []link.Ports            // of the host, and of everything that is closed
	Prefixes []netip.Prefix          // closed by the operator
	Shut     []link.Ports            // of the control plane and the tunnels, at any address, in addition to those of Members
	Names    uint16                  // TCP port of the containers' DNS at the host's private addresses; 0: none
	Doors    []link.GuardedInterface // further interfaces that are guarded
	Members  func() []Member         // of the cluster, whose addresses are closed; nil: unknown
	// Reported returns further addresses that hosts report as their own, as far as these count, ordered: closed while they do. nil: there
	// are none.
	Reported func() []netip.Addr
}

// Member is the location of a part of the cluster: a netmaster, an agent, the store, or a tunnel end.
type Member struct {
	Addr netip.Addr
	Port uint16 // TCP; 0: none
	Host string // label of the host if it is an agent or tunnel end, otherwise ""
}

// forgetAfter is how long an address stays closed after it is no longer a member's: a process that cannot renew its registration may
// continue to serve. The ports of the control plane are closed at any address.
const forgetAfter = 10 * time.Minute

// guardian records what has been closed.
type guardian struct {
	labels map[string]struct{} // of hosts that are members now
	ports  lately[link.Ports]  // of netmasters and their stores
	doors  lately[link.Ports]  // of agents
	known  lately[netip.Addr]
	set    *link.Guard                // as of the last check; nil: there is none
	now    atomic.Pointer[link.Guard] // set, for others
}

// lately holds what existed within forgetAfter, and when it was seen last.
type lately[K comparable] map[K]time.Time

// list returns all of it, in no order. It deletes expired entries.
func (l lately[K]) list() []K {
	maps.DeleteFunc(l, func(_ K, last time.Time) bool { return time.Since(last) > forgetAfter })
	return slices.Collect(maps.Keys(l))
}

// Refuses reports whether the host refuses a connection that a container opens to an address of the host itself if own is true, or beyond
// it.
func (e *Engine) Refuses(to netip.AddrPort, protocol uint8, own bool) bool {
	g := e.guardian.now.Load()
	return g != nil && g.Refuses(to, protocol, own)
}

// guard keeps packets from networks away from the host.
func (e *Engine) guard(g *record.Global, networks []record.Network) error {
	now := e.wanted(g, networks)
	if now == nil {
		e.guardian.set = nil
		e.guardian.now.Store(nil)
		e.Flows.SetClosed(nil)
		return e.Links.SetGuard(nil)
	}
	own, err := e.Links.Addresses()
	if err != nil {
		return err
	}
	e.Flows.SetClosed(shut(now, own))
	if e.guardian.set != nil && e.guardian.set.Equal(now) {
		return nil
	}
	if err := e.Links.SetGuard(now); err != nil {
		return err
	}
	if e.guardian.set == nil && !now.Meet {
		e.Log.Info("closed the host's own ports to containers, except those of --host-ports", "open", len(now.Open), "protected", now.Protected)
	}
	e.guardian.set = now
	e.guardian.now.Store(now)
	return nil
}

// wanted is the guard required by the records. It exists while packets can come from a network: while there is a network whose gateway is
// the switch, or one for hosts. nil: there is none.
func (e *Engine) wanted(g *record.Global, networks []record.Network) *link.Guard {
	e.learn()
	if !slices.ContainsFunc(networks, func(n record.Network) bool { return leads(g, &n) || n.Kind == record.InfraNetwork }) {
		return nil
	}
	now := e.closed(networks)
	now.Meet = g.HostAccess == record.HostDirect
	return now
}

// Shut returns what the switch must close to endpoints according to the current records, nil for nothing. Run reports later changes. Call
// it only before Run. If the kernel refuses to list the host's own addresses, the rest is closed.
func (e *Engine) Shut() *ofnet.Closed {
	g := e.Flows.Global()
	if g.FwdMode == "" {
		return nil // unknown yet
	}
	now := e.wanted(&g, e.Flows.Networks())
	if now == nil {
		return nil
	}
	own, err := e.Links.Addresses()
	if err != nil {
		e.Log.Warn("the switch cannot close the host's own addresses to containers at its start; nftables closes them", "error", err)
	}
	return shut(now, own)
}

// learn records the current members. A former member has no rights at once, and stays closed for a while.
func (e *Engine) learn() {
	g := &e.guardian
	if g.known == nil {
		g.known, g.ports, g.doors = lately[netip.Addr]{}, lately[link.Ports]{}, lately[link.Ports]{}
	}
	g.labels = map[string]struct{}{}
	if e.Closed.Members == nil {
		return
	}
	now := time.Now()
	for _, m := range e.Closed.Members() {
		if a := m.Addr.Unmap().WithZone(""); a.IsGlobalUnicast() {
			g.known[a] = now
		}
		if m.Host != "" {
			g.labels[m.Host] = struct{}{}
		}
		port := link.Ports{Protocol: unix.IPPROTO_TCP, First: m.Port, Last: m.Port}
		switch {
		case m.Port == 0:
		case m.Host != "":
			g.doors[port] = now
		default:
			g.ports[port] = now
		}
	}
}

// sortPorts sorts ports and leaves out what is there twice.
func sortPorts(list []link.Ports) []link.Ports {
	slices.SortFunc(list, func(a, b link.Ports) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last))
	})
	return slices.Compact(list)
}

// closed is the desired guard.
func (e *Engine) closed(networks []record.Network) *link.Guard {
	out := &link.Guard{Open: e.Closed.Open, Protected: e.Closed.Prefixes, Doors: e.Closed.Doors,
		Control: sortPorts(slices.Concat(e.Closed.Shut, e.guardian.ports.list())), Shut: sortPorts(e.guardian.doors.list())}
	if e.Closed.Names != 0 {
		subnet := e.Flows.Private()
		for _, own := range []netip.Prefix{subnet, pipeline.Private6(subnet)} {
			out.Services = append(out.Services, netip.AddrPortFrom(pipeline.HostAddr(own), e.Closed.Names))
		}
	}
	out.Known = e.guardian.known.list()
	if e.Closed.Reported != nil {
		out.Known = append(out.Known, e.Closed.Reported()...)
	}
	for i := range networks {
		if networks[i].Kind != record.InfraNetwork {
			continue
		}
		for label := range e.guardian.labels {
			ep, ok := e.Flows.Endpoint(identity.Endpoint{Network: networks[i].ID, Endpoint: label}.String())
			if !ok || label == e.Host || ep.Host != label {
				continue
			}
			for _, a := range []netip.Addr{ep.IP, ep.IP6} {
				if a.IsValid() {
					out.Hosts = append(out.Hosts, a)
				}
			}
		}
	}
	slices.SortFunc(out.Known, netip.Addr.Compare)
	out.Known = slices.Compact(out.Known)
	slices.SortFunc(out.Hosts, netip.Addr.Compare)
	return out
}

package hostaccess

import (
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// Closed says what containers cannot reach by way of the host, beside its own ports, and what they can all the same.
type Closed struct {
	Open     []link.Ports    // of the host, and of all that is closed
	Prefixes []netip.Prefix  // that are closed because the operator says so
	Shut     []link.Ports    // of hosts, where containers meet these, beside those of Members
	Names    uint16          // port at which the names of containers are served over TCP at the host's private addresses; 0: they are not
	Doors    []link.Door     // further interfaces that are guarded
	Members  func() []Member // of the cluster, whose addresses are closed; nil: none are known
}

// Member is where a part of the cluster is: a netmaster, an agent, the store, or a tunnel end.
type Member struct {
	Addr netip.Addr
	Port uint16 // TCP; 0: it serves none
	Host string // label of the host whose agent or tunnel end it is; "": it is neither
}

// guardEvery is how often the guard is replaced though nothing has changed: someone may have changed it.
const guardEvery = lookEvery - lookEvery/10

// guardian remembers what has been closed. An address stays closed when it is no member any more, for a process that cannot renew
// it may serve on.
type guardian struct {
	labels map[string]bool
	known  map[netip.Addr]bool
	set    *link.Guard // as of the last look; nil: there is none
	at     time.Time
	now    atomic.Pointer[link.Guard] // set, for others
}

// Refuses tells whether the host refuses what a container opens towards to, at the host itself when own says so, or beyond it.
func (e *Engine) Refuses(to netip.AddrPort, protocol uint8, own bool) bool {
	g := e.guardian.now.Load()
	return g != nil && g.Refuses(to, protocol, own)
}

// guard keeps what comes from networks away from the host. It is wanted while anything can come: while there is a network whose
// gateway is the switch, or one for hosts.
func (e *Engine) guard(g *record.Global, networks []record.Network) error {
	e.learn()
	wanted := slices.ContainsFunc(networks, func(n record.Network) bool {
		return leads(g, &n) || n.Kind == record.InfraNetwork
	})
	if !wanted {
		e.guardian.set = nil
		e.guardian.now.Store(nil)
		return e.Links.SetGuard(nil)
	}
	now := e.closed(networks)
	if g.HostAccess == record.HostDirect {
		now.Meet, now.Shut = true, e.shut()
	}
	there, err := e.Links.Guarded()
	if err == nil && there && e.guardian.set != nil && e.guardian.set.Equal(now) && time.Since(e.guardian.at) < guardEvery {
		return nil
	}
	if err := e.Links.SetGuard(now); err != nil {
		return err
	}
	if e.guardian.set == nil && !now.Meet {
		e.Log.Info("the host's own ports are closed to containers, but for those of --host-ports", "open", len(now.Open), "protected", now.Protected)
	}
	e.guardian.set, e.guardian.at = now, time.Now()
	e.guardian.now.Store(now)
	return nil
}

// learn adds the addresses of those who are members now to what is closed.
func (e *Engine) learn() {
	if e.guardian.known == nil {
		e.guardian.known, e.guardian.labels = map[netip.Addr]bool{}, map[string]bool{}
	}
	if e.Closed.Members == nil {
		return
	}
	for _, m := range e.Closed.Members() {
		if a := m.Addr.Unmap().WithZone(""); a.IsGlobalUnicast() {
			e.guardian.known[a] = true
		}
		if m.Host != "" {
			e.guardian.labels[m.Host] = true
		}
	}
}

// closed is the guard as it is to be.
func (e *Engine) closed(networks []record.Network) *link.Guard {
	out := &link.Guard{Open: e.Closed.Open, Protected: e.Closed.Prefixes, Doors: e.Closed.Doors}
	if e.Closed.Names != 0 {
		subnet := e.Flows.Private()
		for _, own := range []netip.Prefix{subnet, pipeline.Private6(subnet)} {
			out.Services = append(out.Services, netip.AddrPortFrom(pipeline.HostAddr(own), e.Closed.Names))
		}
	}
	for a := range e.guardian.known {
		out.Known = append(out.Known, a)
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
	slices.SortFunc(out.Hosts, netip.Addr.Compare)
	return out
}

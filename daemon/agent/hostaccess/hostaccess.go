// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/pipeline"
)

const (
	// PortName is the host's port in the private subnet. The agent creates it.
	PortName = "contivh0"
	// Owner is the external id ovsdb.IDOwner of ports of infra networks.
	Owner = "infra"
)

// The interval of checks without a change, the delay after a failure, and the delay after a change that closely follows another one: most
// changes of the store do not concern the host, and a check takes system calls.
const (
	syncInterval = 30 * time.Second
	retryAfter   = 2 * time.Second
	restFor      = 100 * time.Millisecond
)

// Flows is the agent's view of the store, and its interface to the switch.
type Flows interface {
	Surroundings() <-chan struct{} // closed at the next change of the results below
	Global() record.Global
	Private() netip.Prefix
	Networks() []record.Network
	Services() []*ofnet.Service // read-only
	Endpoint(id string) (record.Endpoint, bool)
	SetPort(endpoint string, port uint32)
	SetClosed(c *ofnet.Closed) // what the switch itself closes to endpoints; it must not be changed afterwards
}

// Master makes and deletes the host's endpoints, as attach.Master does.
type Master interface {
	CreateEndpoint(ctx context.Context, r model.CreateEndpointRequest) (record.Endpoint, uint64, error)
	DeleteEndpoint(ctx context.Context, r model.DeleteEndpointRequest) error
}

// Switch is the part of *ovsdb.Switch that host access needs.
type Switch interface {
	EnsurePort(ctx context.Context, spec ovsdb.PortSpec) (ovsdb.Port, error)
	RemovePort(ctx context.Context, name string) error
	Port(name string) (ovsdb.Port, bool)
	Ports(key, value string) []ovsdb.Port
	Label(ctx context.Context, port, key, value string) error
}

// Links is the part of *link.Host that host access needs. Its settings are kept: package drift handles others' changes.
type Links interface {
	CloseEnds(nics ...string) error
	Addresses() ([]netip.Addr, error) // of the host itself
	SetHostPort(p link.HostPort) error
	HostPortDrift(p link.HostPort) (was, want []string, err error)
	EnableForwarding(six bool) (changed bool, err error)
	ReleaseForwarding(six bool)
	Masquerade(private netip.Prefix, wanted bool) error
	SetGuard(g *link.Guard) error
	SetPublished(t link.Translation) error
	ForgetPublished(gone, come []link.Published) error
	AllowLoopback(ifname string) error
	Bound(protocol uint8, at netip.AddrPort) error
}

// Options are the dependencies of an Engine.
type Options struct {
	Host    string // label of this host
	Master  Master
	Flows   Flows
	Switch  Switch
	Links   Links
	Moved   func() <-chan struct{} // closed when an address of the host has changed; nil: addresses are not watched
	Uplinks []string               // NICs of the switch
	Room    func() link.Room       // for packets between hosts
	Nodes   func() []ofnet.Host    // all hosts with their own addresses, this one first; nil: unknown
	Closed  Closed                 // to containers
	Log     *slog.Logger
}

// Engine keeps the host's interfaces, routes and address translation as the store requires.
type Engine struct {
	Options
	reported        string // the last error that was logged
	masked, masked6 masquerade
	guardian        guardian
	publisher       publisher

	mu   sync.Mutex // guards the fields below
	kept map[string]kept
}

// New returns an Engine; Run works.
func New(o Options) *Engine { return &Engine{Options: o, kept: map[string]kept{}} }

// Run works until ctx ends; then it returns nil and changes nothing. The records must be known and the switch prepared.
func (e *Engine) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		changed, moved := e.Flows.Surroundings(), e.moved()
		err := e.Sync(ctx)
		if ctx.Err() != nil {
			return nil
		}
		pause := syncInterval
		if err != nil {
			pause = retryAfter
		}
		e.report(err)
		wait(ctx, restFor, nil, nil)
		wait(ctx, pause, changed, moved)
	}
	return nil
}

// moved is closed when an address of the host has changed.
func (e *Engine) moved() <-chan struct{} {
	if e.Moved == nil {
		return nil
	}
	return e.Moved()
}

// wait waits for a duration, or until changed, moved or ctx is done.
func wait(ctx context.Context, d time.Duration, changed, moved <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-changed:
	case <-moved:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// report logs an error once, and its end.
func (e *Engine) report(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	switch {
	case text == e.reported:
	case err != nil:
		e.Log.Warn("host access failed; retrying", "error", err)
	default:
		e.Log.Info("host access works again")
	}
	e.reported = text
}

// Sync applies the desired state. It continues after an error and returns all.
func (e *Engine) Sync(ctx context.Context) error {
	g := e.Flows.Global()
	if g.FwdMode == "" {
		return nil // unknown yet
	}
	networks := e.Flows.Networks()
	// The guard comes first: interfaces that are added below lead to what it guards, and none may exist before its first installation.
	err := errors.Join(e.Links.CloseEnds(e.Uplinks...), e.guard(&g, networks))
	if err != nil && e.guardian.set == nil {
		return fmt.Errorf("containers reach nothing by way of the host until it is closed to them: %w", err)
	}
	return errors.Join(err, e.private(&g, networks), e.infra(ctx, &g, networks), e.keepPublished(&g))
}

// leads reports whether the host and a network's endpoints communicate: if the switch is the gateway, and everywhere by own addresses.
func leads(g *record.Global, n *record.Network) bool {
	return g.FwdMode == record.FwdRouting || n.Encap == record.VXLAN || g.HostAccess == record.HostDirect
}

// Leaving returns the source addresses of containers that leave by this host, one for each family in which they do.
func (e *Engine) Leaving() (out []netip.Addr) {
	g, subnet := e.Flows.Global(), e.Flows.Private()
	var four, six bool
	for _, n := range e.Flows.Networks() {
		if leads(&g, &n) {
			four, six = four || n.Subnet.IsValid(), six || n.Subnet6.IsValid()
		}
	}
	if four {
		out = append(out, pipeline.HostAddr(subnet).Next())
	}
	if six {
		out = append(out, pipeline.HostAddr(pipeline.Private6(subnet)).Next())
	}
	return out
}

// Private returns the private subnets between containers and this host, one for each family; none if they do not communicate.
func (e *Engine) Private() (out []netip.Prefix) {
	subnet := e.Flows.Private()
	for _, a := range e.Leaving() {
		if out = append(out, subnet); a.Is6() {
			out[len(out)-1] = pipeline.Private6(subnet)
		}
	}
	return out
}

// private keeps contivh0 and the translation. They exist while there is a network whose gateway is the switch.
func (e *Engine) private(g *record.Global, networks []record.Network) error {
	subnet := e.Flows.Private()
	six := pipeline.Private6(subnet)
	var wanted, wanted6 bool
	for i := range networks {
		if leads(g, &networks[i]) {
			wanted, wanted6 = true, wanted6 || networks[i].Subnet6.IsValid()
		}
	}
	// The MTU of a tunnel, so that the kernel reports packets that are too big for a container.
	routed := g.FwdMode == record.FwdRouting || g.HostAccess == record.HostDirect
	port := link.HostPort{Name: PortName, MTU: e.Room().InTunnel(routed), Addrs: []netip.Prefix{netip.PrefixFrom(pipeline.HostAddr(subnet), subnet.Bits())}}
	if wanted6 {
		port.Addrs = append(port.Addrs, netip.PrefixFrom(pipeline.HostAddr(six), six.Bits()))
	}
	var err error
	if g.HostAccess == record.HostDirect {
		port.Gateways, err = e.directRoutes(networks, e.machines())
	}
	return errors.Join(err, e.keep(ofnet.Key{Kind: ofnet.KindHost, Name: e.Host}, port), e.translate(&e.masked, subnet, wanted), e.translate(&e.masked6, six, wanted6))
}

// masquerade is what was translated at the last check.
type masquerade struct {
	subnet netip.Prefix // invalid: nothing
	known  bool         // it has been set once
}

// translate applies the translation of one private subnet.
func (e *Engine) translate(last *masquerade, subnet netip.Prefix, wanted bool) error {
	var err error
	now := netip.Prefix{}
	if wanted {
		now = subnet
	}
	if last.known && last.subnet == now {
		return nil
	}
	if !wanted {
		e.Links.ReleaseForwarding(subnet.Addr().Is6())
	}
	if wanted {
		var changed bool
		if changed, err = e.Links.EnableForwarding(subnet.Addr().Is6()); changed && err == nil {
			e.Log.Info("enabled packet forwarding on the host, for containers that reach other networks through it", "subnet", subnet)
		}
	}
	if failed := e.Links.Masquerade(subnet, wanted); failed != nil {
		return errors.Join(err, failed)
	}
	if last.subnet != now {
		e.Log.Info("addresses of containers are translated on the host", "subnet", now)
	}
	last.subnet, last.known = now, err == nil
	return err
}

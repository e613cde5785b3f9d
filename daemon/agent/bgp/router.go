package bgp

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// Link is the host's own interface towards routers outside. Its methods are called by one goroutine.
type Link interface {
	// Ensure makes the interface exist, up, with exactly these addresses.
	Ensure(ctx context.Context, addresses ...netip.Prefix) (port uint32, mac ofnet.MAC, err error)
	// Remove removes it.
	Remove(ctx context.Context) error
	// Neighbour returns the link address of a neighbour; ok is false if it is unknown.
	Neighbour(addr netip.Addr) (mac ofnet.MAC, ok bool)
	// Ask makes the kernel resolve the link address. It does not wait for the result.
	Ask(addr netip.Addr) error
}

// Options are the dependencies of a Router.
type Options struct {
	Host   string        // label
	Tenant string        // whose endpoints are announced
	Mode   func() string // the cluster's forwarding mode; routers are only for "routing"
	// External returns further addresses of the tenant's services whose connections this host accepts; nil: there are none.
	External func() []netip.Addr
	Update   func(rev uint64, change func(s *ofnet.State))
	Link     Link
	Memory   string // path of the file that describes to the next agent what this one has added to the switch; "": none
	Log      *slog.Logger
}

// Router keeps sessions, announcements and the State's routes in sync with the records. It is a task, and a desired.Listener.
type Router struct {
	o    Options
	wake chan struct{}

	mu        sync.Mutex
	record    *record.BGP
	endpoints map[string]hostRoutes // of the tenant on this host, by id
	services  map[string]hostRoutes // of the tenant, by id
	speaker   *Speaker
	table     table // in the State
	kept      *keep // what an earlier agent has left, until it is learned again; nil: nothing
	problem   error

	// Only for the goroutine of Run.
	config     *Config // of the speaker
	announced  map[netip.Prefix]bool
	router     ofnet.Router // in the State, if its port is not 0
	remembered time.Time    // when Memory was written last
	forgetful  bool         // Memory is outdated
}

// hostRoutes are the prefixes that lead to one endpoint or service, a /32 and a /128; either may be the zero prefix.
type hostRoutes [2]netip.Prefix

// pollInterval is the interval of checks without an event: the kernel sends none for link addresses.
const pollInterval = 500 * time.Millisecond

// NewRouter returns a Router; Run works.
func NewRouter(o Options) *Router {
	return &Router{o: o, wake: make(chan struct{}, 1), endpoints: map[string]hostRoutes{}, services: map[string]hostRoutes{},
		table: newTable(), announced: map[netip.Prefix]bool{}}
}

func (r *Router) notify() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Tenant does nothing: routers do not depend on tenants.
func (r *Router) Tenant(string, *record.Tenant) {}

// Service applies a service's record, nil if it was deleted. Every host with a router accepts its connections.
func (r *Router) Service(id string, v *record.ServiceLB) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, had := r.services[id]
	delete(r.services, id)
	if v != nil && v.ID.Tenant == r.o.Tenant && v.IP.Is4() {
		r.services[id] = hostRoutes{netip.PrefixFrom(v.IP, v.IP.BitLen())}
	}
	if is, has := r.services[id]; had != has || was != is {
		r.notify()
	}
}

// KubernetesService wakes the loop: the result of External may have changed.
func (r *Router) KubernetesService(string, *record.KubernetesService) { r.notify() }

// KubernetesNamespace does nothing: the next check finds the rare change of a namespace's tenant.
func (r *Router) KubernetesNamespace(string, *record.Namespace) {}

// EndpointSlice does nothing: the next check finds changed backends.
func (r *Router) EndpointSlice(string, *record.EndpointSlice) {}

// Router applies a router's record, nil if it was deleted. It ignores those of other hosts.
func (r *Router) Router(host string, b *record.BGP) {
	if host != r.o.Host {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record = nil
	if b != nil {
		own := *b
		r.record = &own
	}
	r.notify()
}

// Endpoint applies an endpoint's record, nil if it was deleted.
func (r *Router) Endpoint(id string, e *record.Endpoint) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, had := r.endpoints[id]
	delete(r.endpoints, id)
	if e != nil && e.Host == r.o.Host && e.ID.Tenant == r.o.Tenant {
		var at hostRoutes
		for i, a := range []netip.Addr{e.IP, e.IP6} {
			if a.IsValid() {
				at[i] = netip.PrefixFrom(a, a.BitLen())
			}
		}
		if at != (hostRoutes{}) {
			r.endpoints[id] = at
		}
	}
	if is, has := r.endpoints[id]; had != has || was != is {
		r.notify()
	}
}

// Run works until ctx ends. It leaves the interface and the switch's flows: forwarding survives the agent.
func (r *Router) Run(ctx context.Context) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	defer func() {
		r.remembered = time.Time{}
		if err := errors.Join(r.remember(), r.stop()); err != nil {
			r.o.Log.Warn("cannot stop BGP", "error", err)
		}
	}()
	for {
		r.recordError(errors.Join(r.round(ctx), r.remember()))
		select {
		case <-ctx.Done():
			return nil
		case <-r.wake:
		case <-tick.C:
		}
	}
}

// recordError records an error, and logs a new one.
func (r *Router) recordError(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && (r.problem == nil || r.problem.Error() != err.Error()) {
		r.o.Log.Warn("BGP failed; retrying", "error", err)
	}
	r.problem = err
}

// round makes one step towards what the records require.
func (r *Router) round(ctx context.Context) error {
	further := r.external() // before the lock, as Mode
	r.mu.Lock()
	b, own := r.record, r.own(further)
	r.mu.Unlock()
	if b == nil || r.o.Mode() != "routing" {
		return r.down(ctx)
	}
	want, err := Parse(b)
	if err != nil {
		return errors.Join(err, r.down(ctx))
	}
	addresses := []netip.Prefix{want.Address}
	if want.Address6.IsValid() {
		addresses = append(addresses, want.Address6)
	}
	port, mac, err := r.o.Link.Ensure(ctx, addresses...)
	if err != nil {
		return err
	}
	r.attach(ofnet.Router{Tenant: r.o.Tenant, Port: port, MAC: mac, Addr: want.Address.Addr(), Addr6: want.Address6.Addr()})
	if r.config == nil || !r.config.equal(&want) {
		if err := r.stop(); err != nil {
			return err
		}
		want.Restarting = r.keeps(&want)
		s, err := Start(want, r.o.Log, r.notify)
		if err != nil {
			return err
		}
		r.o.Log.Info("starting BGP", "address", want.Address, "as", want.AS, "peers", want.Peers, "restarting", want.Restarting)
		r.config = &want
		clear(r.announced)
		r.mu.Lock()
		r.speaker = s
		r.mu.Unlock()
	}
	if err := r.speaker.Retry(ctx); err != nil {
		return err
	}
	if err := r.announce(own); err != nil {
		return err
	}
	return r.learn()
}

// down ends everything, once.
func (r *Router) down(ctx context.Context) error {
	if err := r.stop(); err != nil {
		return err
	}
	r.forget("there is no router any more")
	r.set(newTable())
	if r.router.Port == 0 {
		return nil
	}
	if err := r.o.Link.Remove(ctx); err != nil {
		return err
	}
	r.attach(ofnet.Router{})
	return nil
}

// stop ends the speaker.
func (r *Router) stop() error {
	r.mu.Lock()
	s := r.speaker
	r.speaker = nil
	r.mu.Unlock()
	r.config = nil
	if s == nil {
		return nil
	}
	return s.Stop()
}

// attach adds the router to the State; one without a port is none.
func (r *Router) attach(now ofnet.Router) {
	if r.router == now {
		return
	}
	r.router, r.forgetful = now, true
	r.o.Update(0, func(s *ofnet.State) {
		if s.Router = nil; now.Port != 0 {
			s.Router = &now
		}
	})
}

// external returns the result of External.
func (r *Router) external() []netip.Addr {
	if r.o.External == nil {
		return nil
	}
	return r.o.External()
}

// own returns the addresses that are reachable by this host: of local endpoints, of services, and further ones; of IPv6 if the router has
// an address of it. The caller holds r.mu.
func (r *Router) own(further []netip.Addr) map[netip.Prefix]bool {
	out := make(map[netip.Prefix]bool, len(r.endpoints)+len(r.services)+len(further))
	for _, a := range further {
		if a.Is4() || r.router6() {
			out[netip.PrefixFrom(a, a.BitLen())] = true
		}
	}
	for _, list := range []map[string]hostRoutes{r.endpoints, r.services} {
		for _, at := range list {
			for _, p := range at {
				if p.IsValid() && (p.Addr().Is4() || r.router6()) {
					out[p] = true
				}
			}
		}
	}
	return out
}

// announce announces exactly these addresses to the peers.
func (r *Router) announce(want map[netip.Prefix]bool) error {
	for p := range want {
		if !r.announced[p] {
			if err := r.speaker.Announce(p); err != nil {
				return err
			}
			r.announced[p] = true
		}
	}
	for p := range r.announced {
		if !want[p] {
			if err := r.speaker.Withdraw(p); err != nil {
				return err
			}
			delete(r.announced, p)
		}
	}
	return nil
}

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
	// Ensure makes the interface be there, up, with the addresses and no others.
	Ensure(ctx context.Context, addresses ...netip.Prefix) (port uint32, mac ofnet.MAC, err error)
	// Remove makes it be gone.
	Remove(ctx context.Context) error
	// Neighbour returns the link address of a neighbour, as far as it is known; ok is false while it is not.
	Neighbour(addr netip.Addr) (mac ofnet.MAC, ok bool)
	// Ask has the kernel find the link address out. It does not wait for it.
	Ask(addr netip.Addr) error
}

// Options are what a Router needs.
type Options struct {
	Host   string        // label
	Tenant string        // whose endpoints are announced
	Mode   func() string // the cluster's forwarding mode; routers are for "routing" alone
	// External are further addresses of the tenant's services whose connections this host takes; nil: there are none.
	External func() []netip.Addr
	Update   func(rev uint64, change func(s *ofnet.State))
	Link     Link
	Memory   string // path of the file that the next agent learns from what this one has put into the switch; "": none
	Log      *slog.Logger
}

// Router keeps sessions, announcements and the State's routes equal to the records. It is a task's work, and a
// desired.Listener.
type Router struct {
	o    Options
	wake chan struct{}

	mu        sync.Mutex
	record    *record.BGP
	endpoints map[string]hostRoutes // of the tenant on this host, by id
	services  map[string]hostRoutes // of the tenant, by id
	speaker   *Speaker
	table     table // in the State
	kept      *keep // what an agent before has left, until it is learned again; nil: nothing
	problem   error

	// Of Run's goroutine alone.
	config     *Config // of the speaker
	announced  map[netip.Prefix]bool
	router     ofnet.Router // in the State, when its port is not 0
	remembered time.Time    // when Memory was written last
	forgetful  bool         // Memory is behind
}

// hostRoutes are the prefixes that lead to one endpoint or service, a /32 and a /128; either may be the zero prefix.
type hostRoutes [2]netip.Prefix

// lookEvery is how often everything is looked at without being told: link addresses change without a word.
const lookEvery = 500 * time.Millisecond

// NewRouter makes a Router; Run keeps it going.
func NewRouter(o Options) *Router {
	return &Router{o: o, wake: make(chan struct{}, 1), endpoints: map[string]hostRoutes{}, services: map[string]hostRoutes{},
		table: newTable(), announced: map[netip.Prefix]bool{}}
}

func (r *Router) kick() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Tenant is not about routers.
func (r *Router) Tenant(string, *record.Tenant) {}

// Service takes over a service's record, nil when it is gone. Every host with a router takes its connections.
func (r *Router) Service(id string, v *record.ServiceLB) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, had := r.services[id]
	delete(r.services, id)
	if v != nil && v.ID.Tenant == r.o.Tenant && v.IP.Is4() {
		r.services[id] = hostRoutes{netip.PrefixFrom(v.IP, v.IP.BitLen())}
	}
	if is, has := r.services[id]; had != has || was != is {
		r.kick()
	}
}

// KubernetesService hears that External may say something else.
func (r *Router) KubernetesService(string, *record.KubernetesService) { r.kick() }

// KubernetesNamespace is not about routers: a namespace changes its tenant too seldom for anyone to wait for it.
func (r *Router) KubernetesNamespace(string, *record.Namespace) {}

// EndpointSlice is not about routers either: a backend is looked for at the next look.
func (r *Router) EndpointSlice(string, *record.EndpointSlice) {}

// Router takes over a router's record, nil when it is gone. Those of other hosts do not matter.
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
	r.kick()
}

// Endpoint takes over an endpoint's record, nil when it is gone.
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
		r.kick()
	}
}

// Run works until ctx ends. It leaves the interface and the switch's flows as they are: forwarding survives the agent.
func (r *Router) Run(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	defer func() {
		r.remembered = time.Time{}
		if err := errors.Join(r.remember(), r.stop()); err != nil {
			r.o.Log.Warn("end BGP", "error", err)
		}
	}()
	for {
		r.note(errors.Join(r.round(ctx), r.remember()))
		select {
		case <-ctx.Done():
			return nil
		case <-r.wake:
		case <-tick.C:
		}
	}
}

// note remembers what is wrong, and says so when it is new.
func (r *Router) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && (r.problem == nil || r.problem.Error() != err.Error()) {
		r.o.Log.Warn("routing with neighbours outside, trying again", "error", err)
	}
	r.problem = err
}

// round brings everything one step closer to what the records say.
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
		s, err := Start(want, r.o.Log, r.kick)
		if err != nil {
			return err
		}
		r.o.Log.Info("BGP starts", "address", want.Address, "as", want.AS, "peers", want.Peers, "restarting", want.Restarting)
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

// attach makes the State have the router; one without a port is none.
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

// external is what External says.
func (r *Router) external() []netip.Addr {
	if r.o.External == nil {
		return nil
	}
	return r.o.External()
}

// own are the addresses that this host is the way to: of endpoints here, of services, and further ones; of IPv6 if the router has an
// address of it. r.mu is held.
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

// announce makes the peers know these addresses, and no others.
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

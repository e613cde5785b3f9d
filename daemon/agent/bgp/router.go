package bgp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// Link is the host's own interface towards routers outside. Its methods are called by one goroutine.
type Link interface {
	// Ensure makes the interface be there, up, with the address and no other.
	Ensure(ctx context.Context, address netip.Prefix) (port uint32, mac ofnet.MAC, err error)
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
	Update func(rev uint64, change func(s *ofnet.State) []ofnet.Key)
	Link   Link
	Log    *slog.Logger
}

// Router keeps sessions, announcements and the State's routes equal to the records. It is a task's work, and a
// sync.Listener.
type Router struct {
	o    Options
	wake chan struct{}

	mu        sync.Mutex
	record    *record.BGP
	endpoints map[string]netip.Prefix // of the tenant on this host, by id
	services  map[string]netip.Prefix // of the tenant, by id
	speaker   *Speaker
	routes    map[netip.Prefix]ofnet.Route // in the State
	problem   error

	// Of Run's goroutine alone.
	config    *Config // of the speaker
	announced map[netip.Prefix]bool
	router    ofnet.Router // in the State, when its port is not 0
}

// lookEvery is how often everything is looked at without being told: link addresses change without a word.
const lookEvery = 500 * time.Millisecond

// NewRouter makes a Router; Run keeps it going.
func NewRouter(o Options) *Router {
	return &Router{o: o, wake: make(chan struct{}, 1), endpoints: map[string]netip.Prefix{}, services: map[string]netip.Prefix{},
		routes: map[netip.Prefix]ofnet.Route{}, announced: map[netip.Prefix]bool{}}
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
	if v != nil && v.Tenant == r.o.Tenant {
		if a, err := netip.ParseAddr(v.IPAddress); err == nil && a.Is4() {
			r.services[id] = netip.PrefixFrom(a, a.BitLen())
		}
	}
	if is, has := r.services[id]; had != has || was != is {
		r.kick()
	}
}

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
	if e != nil && e.HomingHost == r.o.Host && strings.HasSuffix(e.NetID, "."+r.o.Tenant) {
		text, _, _ := strings.Cut(e.IPAddress, "/")
		if a, err := netip.ParseAddr(text); err == nil && a.Is4() {
			r.endpoints[id] = netip.PrefixFrom(a, a.BitLen())
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
		if err := r.stop(); err != nil {
			r.o.Log.Warn("end BGP", "error", err)
		}
	}()
	for {
		r.note(r.round(ctx))
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
	r.mu.Lock()
	b, own := r.record, r.own()
	r.mu.Unlock()
	if b == nil || r.o.Mode() != "routing" {
		return r.down(ctx)
	}
	want, err := Parse(b)
	if err != nil {
		return errors.Join(err, r.down(ctx))
	}
	port, mac, err := r.o.Link.Ensure(ctx, want.Address)
	if err != nil {
		return err
	}
	r.attach(ofnet.Router{Tenant: r.o.Tenant, Port: port, MAC: mac, Addr: want.Address.Addr()})
	if r.config == nil || !r.config.equal(&want) {
		if err := r.stop(); err != nil {
			return err
		}
		s, err := Start(want, r.o.Log, r.kick)
		if err != nil {
			return err
		}
		r.o.Log.Info("BGP starts", "address", want.Address, "as", want.AS, "peers", want.Peers)
		r.config = &want
		clear(r.announced)
		r.mu.Lock()
		r.speaker = s
		r.mu.Unlock()
	}
	if err := r.announce(own); err != nil {
		return err
	}
	return r.learn(want.Address)
}

// down ends everything, once.
func (r *Router) down(ctx context.Context) error {
	if err := r.stop(); err != nil {
		return err
	}
	r.set(nil)
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
	r.router = now
	r.o.Update(0, func(s *ofnet.State) []ofnet.Key {
		if s.Router = nil; now.Port != 0 {
			s.Router = &now
		}
		return []ofnet.Key{{Kind: ofnet.KindRouter, Name: r.o.Host}}
	})
}

// own are the addresses that this host is the way to: of endpoints here, and of services. r.mu is held.
func (r *Router) own() map[netip.Prefix]bool {
	out := make(map[netip.Prefix]bool, len(r.endpoints)+len(r.services))
	for _, list := range []map[string]netip.Prefix{r.endpoints, r.services} {
		for _, p := range list {
			out[p] = true
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

// learn makes routes of what the peers announce. A next hop that is not on the link leads nowhere, and neither does one
// whose link address is not known: it is asked for, and the route waits.
func (r *Router) learn(link netip.Prefix) error {
	learned, err := r.speaker.Routes()
	if err != nil {
		return err
	}
	for i := range r.config.Peers { // the way to a peer itself, which no peer announces
		a := r.config.Peers[i].Address
		learned[netip.PrefixFrom(a, a.BitLen())] = a
	}
	macs := map[netip.Addr]ofnet.MAC{}
	routes := make(map[netip.Prefix]ofnet.Route, len(learned))
	for p, via := range learned {
		if r.announced[p] {
			continue // our own, come back
		}
		mac, asked := macs[via]
		if !asked && link.Contains(via) {
			var ok bool
			if mac, ok = r.o.Link.Neighbour(via); !ok {
				if err := r.o.Link.Ask(via); err != nil {
					r.o.Log.Debug("next hop", "address", via, "error", err) // asked again with the next look
				}
			}
			macs[via] = mac
		}
		routes[p] = ofnet.Route{Prefix: p, Via: via, MAC: mac}
	}
	r.set(routes)
	return nil
}

// set makes the State have these routes, and no others.
func (r *Router) set(routes map[netip.Prefix]ofnet.Route) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var changed []netip.Prefix
	for p, now := range routes {
		if was, ok := r.routes[p]; !ok || was != now {
			changed = append(changed, p)
		}
	}
	for p := range r.routes {
		if _, ok := routes[p]; !ok {
			changed = append(changed, p)
		}
	}
	if len(changed) == 0 {
		return
	}
	r.routes = routes
	r.o.Update(0, func(s *ofnet.State) []ofnet.Key {
		keys := make([]ofnet.Key, 0, len(changed))
		for _, p := range changed {
			name := p.String()
			keys = append(keys, ofnet.Key{Kind: ofnet.KindRoute, Name: name})
			if route, ok := routes[p]; ok {
				s.Routes[name] = &route
			} else {
				delete(s.Routes, name)
			}
		}
		return keys
	})
}

// ErrNoRouter is what Status returns on a host without a router.
var ErrNoRouter = errors.New("this host has no BGP router; netctl bgp create makes one, for clusters in forwarding mode routing")

// Status is what a router does, in the shape that the original shows.
type Status struct {
	Peers []PeerStatus `json:"peers"`
	Dsts  []string     `json:"dsts"` // prefixes that peers announce
	// Waiting are those of them that no packet follows yet, because the link address of the next hop is not known.
	Waiting []string `json:"waiting,omitempty"`
	Own     []string `json:"announced,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// Status tells how the router is; an error is ErrNoRouter.
func (r *Router) Status() (Status, error) {
	mode := r.o.Mode() // before the lock: whoever tells it may be telling us of a record
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.record == nil {
		return Status{}, ErrNoRouter
	}
	if mode != "routing" {
		return Status{}, fmt.Errorf("the cluster's forwarding mode is %s: %w", mode, ErrNoRouter)
	}
	out := Status{Peers: []PeerStatus{}, Dsts: []string{}}
	if r.problem != nil {
		out.Error = r.problem.Error()
	}
	for p, route := range r.routes {
		if p.Addr() == route.Via {
			continue // a peer
		}
		out.Dsts = append(out.Dsts, p.String())
		if route.MAC == (ofnet.MAC{}) {
			out.Waiting = append(out.Waiting, p.String())
		}
	}
	for p := range r.own() {
		out.Own = append(out.Own, p.String())
	}
	for _, list := range [][]string{out.Dsts, out.Waiting, out.Own} {
		slices.Sort(list)
	}
	if r.speaker == nil {
		return out, nil
	}
	peers, err := r.speaker.Peers()
	if err != nil {
		out.Error = err.Error()
	}
	out.Peers = append(out.Peers, peers...)
	return out, nil
}

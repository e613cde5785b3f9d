// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"context"
	"errors"
	"log/slog"
	"maps"
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
	Host    string        // label
	Tenant  string        // whose endpoints are announced
	Mode    func() string // the cluster's forwarding mode; routers are only for "routing"
	Records Records
	Update  func(rev uint64, change func(s *ofnet.State))
	Link    Link
	Memory  string // path of the file that describes to the next agent what this one has added to the switch; "": none
	Log     *slog.Logger
}

// Records is the part of *desired.Engine that a Router needs. Its methods are safe for concurrent use.
type Records interface {
	// BGP returns the record of a host's router, nil if there is none.
	BGP(host string) *record.BGP
	// Announced returns the addresses of a tenant that routers outside reach by this host, in no order.
	Announced(tenant string) []netip.Addr
	// Changed returns a channel that is closed at the next change of any record.
	Changed() <-chan struct{}
}

// Router keeps sessions, announcements and the State's routes in sync with the records. It is a task.
type Router struct {
	o    Options
	wake chan struct{}

	mu      sync.Mutex
	speaker *Speaker
	table   table // in the State
	kept    *keep // what an earlier agent has left, until it is learned again; nil: nothing
	problem error

	// Only for the goroutine of Run.
	config     *Config // of the speaker
	announced  map[netip.Prefix]bool
	router     ofnet.Router // in the State, if its port is not 0
	remembered time.Time    // when Memory was written last
	forgetful  bool         // Memory is outdated
}

// pollInterval is the interval of checks without an event: the kernel sends none for link addresses.
const pollInterval = 500 * time.Millisecond

// changePause is the time between a change of any record and a look whether it changes what a router announces, for changes that follow at
// once.
const changePause = 20 * time.Millisecond

// wanted is what the records require of a router.
type wanted struct {
	router    *record.BGP // nil: none
	addresses map[netip.Prefix]bool
}

// wanted reads the records.
func (r *Router) wanted() wanted {
	w := wanted{router: r.o.Records.BGP(r.o.Host)}
	if w.router == nil {
		return w
	}
	w.addresses = map[netip.Prefix]bool{}
	for _, a := range r.o.Records.Announced(r.o.Tenant) {
		if a.Is4() || w.router.RouterIP6 != "" {
			w.addresses[netip.PrefixFrom(a, a.BitLen())] = true
		}
	}
	return w
}

// equal reports whether both require the same. Records that have changed are other records.
func (w wanted) equal(o wanted) bool {
	return w.router == o.router && maps.Equal(w.addresses, o.addresses)
}

// NewRouter returns a Router; Run works.
func NewRouter(o Options) *Router {
	return &Router{o: o, wake: make(chan struct{}, 1), table: newTable(), announced: map[netip.Prefix]bool{}}
}

func (r *Router) notify() {
	select {
	case r.wake <- struct{}{}:
	default:
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
		changed, want := r.o.Records.Changed(), r.wanted()
		r.recordError(errors.Join(r.round(ctx, want), r.remember()))
		if !r.await(ctx, tick.C, changed, want) {
			return nil
		}
	}
}

// await waits until another round is due: the records require something else than they did, a speaker has news, or the tick has come;
// false: ctx has ended.
func (r *Router) await(ctx context.Context, tick <-chan time.Time, changed <-chan struct{}, had wanted) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-r.wake:
			return true
		case <-tick:
			return true
		case <-changed:
		}
		if changed = r.o.Records.Changed(); r.o.Records.BGP(r.o.Host) != had.router {
			return true
		}
		if had.router == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(changePause):
		}
		if changed = r.o.Records.Changed(); !r.wanted().equal(had) {
			return true
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
func (r *Router) round(ctx context.Context, now wanted) error {
	if now.router == nil || r.o.Mode() != "routing" {
		return r.down(ctx)
	}
	want, err := Parse(now.router)
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
	if err := r.announce(now.addresses); err != nil {
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

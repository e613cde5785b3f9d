// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// world is a store, a master, a switch and the host's interfaces, in memory.
type world struct {
	global    record.Global
	networks  []record.Network
	services  []*ofnet.Service
	endpoints map[string]record.Endpoint
	ports     map[string]ovsdb.Port
	numbers   map[string]uint32 // ports by endpoint
	links     map[string]link.HostPort
	masked4   netip.Prefix // zero: not translated
	masked6   netip.Prefix
	passing4  bool
	passing6  bool
	refuse    error // what the master answers
	guard     *link.Guard
	guarded   int   // how often it was set
	unguarded error // what keeps the guard from being set
	unclosed  error // and the ends from being closed
	ends      []string
	own       []netip.Addr // of the host
	closed    *ofnet.Closed
	published link.Translation
	forgotten []link.Published
	bound     string // an address and port that a program has
}

func newWorld(mode string, networks ...record.Network) *world {
	return &world{global: record.Global{FwdMode: record.FwdMode(mode)}, networks: networks, endpoints: map[string]record.Endpoint{},
		ports: map[string]ovsdb.Port{}, numbers: map[string]uint32{}, links: map[string]link.HostPort{}}
}

func (w *world) Surroundings() <-chan struct{} { return nil }
func (w *world) Global() record.Global         { return w.global }
func (w *world) Private() netip.Prefix         { return ofnet.DefaultPrivate() }
func (w *world) Networks() []record.Network    { return w.networks }
func (w *world) Services() []*ofnet.Service    { return w.services }
func (w *world) Endpoint(id string) (record.Endpoint, bool) {
	e, ok := w.endpoints[id]
	return e, ok
}

func (w *world) SetPort(endpoint string, port uint32) {
	if port == 0 {
		delete(w.numbers, endpoint)
		return
	}
	w.numbers[endpoint] = port
}

func (w *world) CreateEndpoint(_ context.Context, r model.CreateEndpointRequest) (record.Endpoint, uint64, error) {
	if w.refuse != nil {
		return record.Endpoint{}, 0, w.refuse
	}
	n := len(w.endpoints) + 1
	e := record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: r.TenantName, Name: r.NetworkName}, Endpoint: r.ConfigEP.Container},
		Host: r.ConfigEP.Host, IP: netip.AddrFrom4([4]byte{10, 9, 0, byte(n)}), MAC: record.MAC{2, 2, 10, 9, 0, byte(n)}}
	w.endpoints[e.ID.String()] = e
	return e, uint64(n), nil
}

func (w *world) DeleteEndpoint(_ context.Context, r model.DeleteEndpointRequest) error {
	delete(w.endpoints, r.TenantName+":"+r.NetworkName+":"+r.EndpointID)
	return nil
}

func (w *world) EnsurePort(_ context.Context, spec ovsdb.PortSpec) (ovsdb.Port, error) {
	for name, p := range w.ports {
		if p.OFPort == spec.OFPort && name != spec.Name {
			return ovsdb.Port{}, fmt.Errorf("number %d is that of %s", spec.OFPort, name)
		}
	}
	p := ovsdb.Port{Name: spec.Name, OFPort: spec.OFPort, Requested: spec.OFPort, ExternalIDs: spec.ExternalIDs}
	w.ports[spec.Name] = p
	return p, nil
}

func (w *world) RemovePort(_ context.Context, name string) error {
	delete(w.ports, name)
	delete(w.links, name)
	return nil
}

func (w *world) Port(name string) (ovsdb.Port, bool) {
	p, ok := w.ports[name]
	return p, ok
}

func (w *world) Ports(key, value string) (out []ovsdb.Port) {
	for _, p := range w.ports {
		if v, ok := p.ExternalIDs[key]; ok && (value == "" || v == value) {
			out = append(out, p)
		}
	}
	return out
}

func (w *world) SetHostPort(p link.HostPort) error { w.links[p.Name] = p; return nil }
func (w *world) HostPortDrift(p link.HostPort) (was, want []string, err error) {
	got := w.links[p.Name]
	for _, a := range got.Addrs {
		if !slices.Contains(p.Addrs, a) {
			was = append(was, a.String())
		}
	}
	for _, a := range p.Addrs {
		if !slices.Contains(got.Addrs, a) {
			want = append(want, a.String())
		}
	}
	return was, want, w.refuse
}

func (w *world) EnableForwarding(six bool) (bool, error) {
	passing := &w.passing4
	if six {
		passing = &w.passing6
	}
	was := *passing
	*passing = true
	return !was, nil
}

func (w *world) ReleaseForwarding(six bool) {
	if six {
		w.passing6 = false
		return
	}
	w.passing4 = false
}

func (w *world) Masquerade(p netip.Prefix, wanted bool) error {
	masked := &w.masked4
	if p.Addr().Is6() {
		masked = &w.masked6
	}
	if *masked = (netip.Prefix{}); wanted {
		*masked = p
	}
	return nil
}

func (w *world) SetClosed(c *ofnet.Closed) { w.closed = c }

func (w *world) Addresses() ([]netip.Addr, error) { return w.own, nil }

func (w *world) CloseEnds(nics ...string) error {
	w.ends = nics
	return w.unclosed
}

func (w *world) SetGuard(g *link.Guard) error {
	if w.unguarded != nil {
		return w.unguarded
	}
	w.guard = g
	w.guarded++
	return nil
}

func (w *world) Label(_ context.Context, port, key, value string) error {
	p, ok := w.ports[port]
	if !ok {
		return fmt.Errorf("there is no port %s", port)
	}
	p.ExternalIDs = maps.Clone(p.ExternalIDs)
	if p.ExternalIDs[key] = value; value == "" {
		delete(p.ExternalIDs, key)
	}
	w.ports[port] = p
	return nil
}

func (w *world) SetPublished(t link.Translation) error { w.published = t; return nil }
func (w *world) AllowLoopback(string) error            { return nil }
func (w *world) ForgetPublished(gone, _ []link.Published) error {
	w.forgotten = append(w.forgotten, gone...)
	return nil
}

func (w *world) Bound(_ uint8, at netip.AddrPort) error {
	if at.String() == w.bound {
		return errors.New("address already in use")
	}
	return nil
}

// engine returns a new agent in the world.
func (w *world) engine(t *testing.T) *Engine {
	return New(Options{Host: "h1", Master: w, Flows: w, Switch: w, Links: w, Room: func() link.Room { return link.Room{Tunnel: 1500, Overhead: 50} },
		Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
}

// network returns the record of a network of tenant default.
func network(name, kind string, encap record.Encap, subnet string) record.Network {
	return record.Network{ID: identity.Network{Tenant: "default", Name: name}, Kind: kind, Encap: encap, Subnet: netip.MustParsePrefix(subnet)}
}

// routesOf returns an interface's routes as text.
func (w *world) routesOf(name string) string {
	var out []string
	for _, p := range w.links[name].Routes {
		out = append(out, p.String())
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestPrivate(t *testing.T) {
	vlan, vxlan := network("a", "data", "vlan", "10.1.0.0/24"), network("b", "data", "vxlan", "10.2.0.0/24")
	vlan6 := vlan
	vlan6.Subnet6 = netip.MustParsePrefix("fd01::/64")
	for _, row := range []struct {
		name     string
		mode     string
		networks []record.Network
		masked   bool
		six      bool
	}{
		{"nothing", "bridge", nil, false, false},
		{"a VLAN has a gateway of its own", "bridge", []record.Network{vlan, vlan6}, false, false},
		{"a tunnel has none", "bridge", []record.Network{vlan, vxlan}, true, false},
		{"nor has a VLAN that is routed", "routing", []record.Network{vlan}, true, false},
		{"with IPv6", "routing", []record.Network{vxlan, vlan6}, true, true},
		{"with IPv6 elsewhere", "bridge", []record.Network{vxlan, vlan6}, true, false},
	} {
		w := newWorld(row.mode, row.networks...)
		e := w.engine(t)
		if err := e.Sync(t.Context()); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		addrs := "[172.19.255.254/16]"
		if row.six {
			addrs = "[172.19.255.254/16 fd63:6f6e:7469:76::ac13:fffe/112]"
		}
		if w.masked4.IsValid() != row.masked || w.passing4 != row.masked {
			t.Errorf("%s: IPv4: want translated %v, got %v, passing %v", row.name, row.masked, w.masked4, w.passing4)
		}
		if w.masked6.IsValid() != row.six || w.passing6 != row.six {
			t.Errorf("%s: IPv6: want translated %v, got %v, passing %v", row.name, row.six, w.masked6, w.passing6)
		}
		if got := w.links[PortName]; fmt.Sprint(got.Addrs) != addrs || got.MTU != 1450 {
			t.Errorf("%s: contivh0: got %+v", row.name, got)
		}
		w.networks = nil
		if err := e.Sync(t.Context()); err != nil || w.masked4.IsValid() || w.masked6.IsValid() {
			t.Errorf("%s: with no networks: got %v, %v, %v", row.name, w.masked4, w.masked6, err)
		}
	}
}

// The guard exists while containers may be attached, and has all hosts that are registered or were so until recently.
func TestGuard(t *testing.T) { synctest.Test(t, guards) }

func guards(t *testing.T) {
	w := newWorld("bridge", network("v", "data", "vlan", "10.3.0.0/24"))
	e := w.engine(t)
	var members []Member
	e.Closed = Closed{Open: []link.Ports{{Protocol: 6, First: 80, Last: 81}}, Prefixes: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")},
		Shut: []link.Ports{{Protocol: 17, First: 4789, Last: 4789}, {Protocol: 6, First: 9999, Last: 9999}}, Names: 9053, Doors: []link.GuardedInterface{{Name: "inb01", Port: 179}}, Members: func() []Member { return members }}
	bring := func() {
		t.Helper()
		if err := e.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if bring(); w.guard != nil || e.Shut() != nil {
		t.Errorf("bridged VLANs never lead to the host: want no guard, got %+v", w.guard)
	}
	w.networks = append(w.networks, network("x", "data", "vxlan", "10.1.0.0/24"), network("hosts", "infra", "vxlan", "10.9.0.0/24"))
	w.endpoints["default:hosts:h2"] = record.Endpoint{Host: "h2", IP: netip.MustParseAddr("10.9.0.77"), IP6: netip.MustParseAddr("fd09::77")}
	w.endpoints["default:hosts:cat"] = record.Endpoint{Host: "h2", IP: netip.MustParseAddr("10.9.0.78")}
	addr := netip.MustParseAddr
	addrs := func(list ...string) (out []netip.Addr) {
		for _, text := range list {
			out = append(out, addr(text))
		}
		return out
	}
	members = []Member{{Addr: addr("192.0.2.1"), Port: 9999}, {Addr: addr("0.0.0.0"), Port: 9999}, {Addr: addr("192.0.2.9"), Port: 2379}, {Addr: addr("127.0.0.1"), Port: 2379},
		{Addr: addr("192.0.2.2"), Port: 9090, Host: "h2"}, {Addr: addr("fd00::2"), Host: "h2"}, {Addr: addr("192.0.2.3"), Port: 9090, Host: "h1"}, {}}
	w.own = []netip.Addr{addr("192.0.2.3"), addr("198.51.100.1")}
	first := e.Shut() // what the switch starts with
	if bring(); !first.Equal(w.closed) {
		t.Errorf("at first: want %+v closed, got %+v", w.closed, first)
	}
	if c := w.closed; c == nil || fmt.Sprint(c.Machines) != "[203.0.113.0/24 192.0.2.1/32 192.0.2.2/32 192.0.2.9/32 fd00::2/128]" || fmt.Sprint(c.Own) != "[192.0.2.3 198.51.100.1]" ||
		fmt.Sprint(c.Ports) != "[{6 {2379 2379}} {6 {9999 9999}} {17 {4789 4789}}]" || len(c.Doors) != 0 || len(c.Open) != 1 {
		t.Errorf("the switch: got %+v", c)
	}
	w.global.HostAccess = record.HostDirect
	bring()
	if c := w.closed; c == nil || fmt.Sprint(c.Machines) != "[203.0.113.0/24]" || len(c.Own) != 0 || len(c.Ports) != 3 || len(c.Doors) != 5 || fmt.Sprint(c.Doors[0]) != "192.0.2.1:9090" {
		t.Errorf("the switch, where hosts are met: got %+v", c)
	}
	w.global.HostAccess = ""
	bring()
	const known = "[192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.9 fd00::2]"
	if g := w.guard; fmt.Sprint(g.Known) != known || fmt.Sprint(g.Hosts) != "[10.9.0.77 fd09::77]" ||
		fmt.Sprint(g.Services) != "[172.19.255.254:9053 [fd63:6f6e:7469:76::ac13:fffe]:9053]" || len(g.Open) != 1 || len(g.Doors) != 1 || len(g.Protected) != 1 ||
		fmt.Sprint(g.Control) != "[{6 2379 2379} {6 9999 9999} {17 4789 4789}]" || fmt.Sprint(g.Shut) != "[{6 9090 9090}]" {
		t.Errorf("got %+v", g)
	}
	set := w.guarded
	if bring(); w.guarded != set {
		t.Errorf("nothing new: want it not set again, got it %d times", w.guarded-set)
	}
	reported := addrs("192.0.2.22", "fd00::2", "198.51.100.1")
	e.Closed.Reported = func() []netip.Addr { return reported }
	const more = "[192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.9 192.0.2.22 198.51.100.1 fd00::2]"
	if bring(); fmt.Sprint(w.guard.Known) != more || fmt.Sprint(w.closed.Machines) != "[203.0.113.0/24 192.0.2.1/32 192.0.2.2/32 192.0.2.9/32 192.0.2.22/32 fd00::2/128]" {
		t.Errorf("with what hosts report: got %+v, and of the switch %+v", w.guard, w.closed)
	}
	reported = nil
	if bring(); fmt.Sprint(w.guard.Known) != known || len(w.closed.Machines) != 5 {
		t.Errorf("once they do not any more: want that open at once, got %+v, and of the switch %+v", w.guard, w.closed)
	}
	members = nil // no one is registered
	if bring(); fmt.Sprint(w.guard.Known) != known || len(w.guard.Control) != 3 || len(w.guard.Shut) != 1 || len(w.guard.Hosts) != 0 {
		t.Errorf("with no members: want the same closed, and no host let in, got %+v", w.guard)
	}
	<-time.After(forgetAfter + time.Second)
	if bring(); len(w.guard.Known) != 0 || len(w.guard.Control) != 2 || len(w.guard.Shut) != 0 {
		t.Errorf("with no members for long: want only the fixed ports closed, got %+v", w.guard)
	}
	w.networks = w.networks[:1]
	if bring(); w.guard != nil || w.closed != nil {
		t.Errorf("after the networks have gone: want no guard, got %+v", w.guard)
	}
}

// No route leads to the host until the guard closes it to containers.
func TestFailsClosed(t *testing.T) {
	for name, fail := range map[string]func(*world){
		"guard": func(w *world) { w.unguarded = errors.New("no nf_tables") },
		"ends":  func(w *world) { w.unclosed = errors.New("no nf_tables") },
	} {
		w := newWorld("bridge", network("x", "data", "vxlan", "10.1.0.0/24"), network("hosts", "infra", "vxlan", "10.9.0.0/24"))
		fail(w)
		e := w.engine(t)
		e.Uplinks = []string{"eth1"}
		err := e.Sync(t.Context())
		if name == "ends" { // the guard stands
			if err == nil || w.guard == nil || !w.passing4 || fmt.Sprint(w.ends) != "[eth1]" {
				t.Errorf("%s: want the error, and the rest done, got %v, guard %v, passing %v", name, err, w.guard, w.passing4)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "no nf_tables") || len(w.links)+len(w.ports) != 0 || w.passing4 || w.masked4.IsValid() {
			t.Errorf("%s: want nothing that leads to the host, got interfaces %v, ports %v, passing %v, masked %v, %v", name, w.links, w.ports, w.passing4, w.masked4, err)
		}
		w.unguarded = nil
		if err := e.Sync(t.Context()); err != nil || !w.passing4 || len(w.ports) != 1 {
			t.Errorf("%s: with a guard: want all of it, got %v", name, err)
		}
		w.unguarded = errors.New("busy") // it stands as it stood
		w.networks = append(w.networks, network("y", "infra", "vxlan", "10.8.0.0/24"))
		e.Closed.Members = func() []Member { return []Member{{Addr: netip.MustParseAddr("192.0.2.1"), Port: 9999}} }
		if err := e.Sync(t.Context()); err == nil || len(w.ports) != 2 {
			t.Errorf("%s: one that cannot be changed: want the rest done, got ports %v, %v", name, w.ports, err)
		}
	}
}

func TestUnknownModeTouchesNothing(t *testing.T) {
	w := newWorld("", network("x", "infra", "vlan", "10.9.0.0/24"))
	if err := w.engine(t).Sync(t.Context()); err != nil || len(w.links)+len(w.ports) != 0 {
		t.Errorf("before the mode is known: got %v, %v, %v", w.links, w.ports, err)
	}
}

// HST-01, HST-03, NWC-04: the host's interfaces and routes follow the networks, also after changes while no agent runs.
func TestInfra(t *testing.T) {
	h1, x := network(record.HostNetwork, "infra", "vxlan", "10.9.0.0/24"), network("x", "infra", "vlan", "10.8.0.0/24")
	a, b := network("a", "data", "vxlan", "10.1.0.0/24"), network("b", "data", "vxlan", "10.2.0.0/24")
	v, foreign := network("v", "data", "vlan", "10.3.0.0/24"), network("f", "data", "vxlan", "10.4.0.0/24")
	foreign.ID.Tenant = "acme"
	w := newWorld("routing", h1, x, a, b, v, foreign)
	e := w.engine(t)
	for range 2 { // again changes nothing
		if err := e.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.routesOf(record.HostNetwork); got != "10.1.0.0/24 10.2.0.0/24" {
			t.Errorf("routes: want those of the tenant's VXLAN networks, got %s", got)
		}
		if len(w.endpoints) != 2 || len(w.ports) != 2 || w.routesOf("x") != "" || w.links["x"].MTU != 1450 {
			t.Errorf("want two endpoints and ports, got %v and %v; x is %+v", w.endpoints, w.ports, w.links["x"])
		}
		if n := w.numbers["default:x:h1"]; n != w.ports["x"].OFPort || n < firstPort || n > lastPort {
			t.Errorf("x: endpoint at %d, port %d", n, w.ports["x"].OFPort)
		}
	}
	w.networks = []record.Network{h1, b}
	if err := w.engine(t).Sync(t.Context()); err != nil { // another life of the agent
		t.Fatal(err)
	}
	if got := w.routesOf(record.HostNetwork); got != "10.2.0.0/24" || len(w.ports) != 1 || len(w.endpoints) != 1 || len(w.numbers) != 1 {
		t.Errorf("after networks have gone: routes %s, ports %v, endpoints %v", got, w.ports, w.endpoints)
	}
	// Services without a route; the host needs no routes to those of other tenants.
	for name, a := range map[string]string{"within": "10.2.0.100", "vlan": "10.3.0.100", "six": "fd01::1"} {
		w.services = append(w.services, &ofnet.Service{Name: "default:" + name, Tenant: "default", External: []netip.Addr{netip.MustParseAddr(a)}})
	}
	w.services = append(w.services, &ofnet.Service{Name: "acme:x", Tenant: "acme", External: []netip.Addr{netip.MustParseAddr("10.5.0.100")}})
	if err := e.Sync(t.Context()); err != nil || w.routesOf(record.HostNetwork) != "10.2.0.0/24 10.3.0.100/32" {
		t.Errorf("with services: got routes %s, %v", w.routesOf(record.HostNetwork), err)
	}
	w.global.FwdMode = "bridge"
	if err := e.Sync(t.Context()); err != nil || w.routesOf(record.HostNetwork) != "10.2.0.100/32 10.3.0.100/32" {
		t.Errorf("bridged: got routes %s, %v", w.routesOf(record.HostNetwork), err)
	}
}

// A network that the host cannot join does not prevent it from joining others.
func TestInfra_Trouble(t *testing.T) {
	w := newWorld("routing", network("a-name-of-many-letters", "infra", "vlan", "10.7.0.0/24"), network("taken", "infra", "vlan", "10.6.0.0/24"),
		network("x", "infra", "vlan", "10.8.0.0/24"))
	w.ports["taken"] = ovsdb.Port{Name: "taken", OFPort: firstPort, ExternalIDs: map[string]string{ovsdb.IDEndpoint: ovsdb.FixedPort}}
	err := w.engine(t).Sync(t.Context())
	if err == nil || !strings.Contains(err.Error(), "use a shorter one") || !strings.Contains(err.Error(), "port taken of the switch is taken") {
		t.Errorf("want both troubles, got %v", err)
	}
	if w.ports["x"].OFPort != firstPort+1 {
		t.Errorf("the third network: want a port past the taken number, got %v", w.ports)
	}
	w = newWorld("routing", network("x", "infra", "vlan", "10.8.0.0/24"))
	w.refuse = errors.New("no leader")
	if err := w.engine(t).Sync(t.Context()); !errors.Is(err, w.refuse) || len(w.ports) != 0 {
		t.Errorf("without a master: want its error and no port, got %v, %v", err, w.ports)
	}
}

// Changes of the host's interfaces by others are reported with the object, and repaired, as long as the interface is needed.
func TestDifferences(t *testing.T) {
	w := newWorld("bridge", network("x", "infra", "vlan", "10.8.0.0/24"))
	e := w.engine(t)
	if err := e.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := e.Differences(); err != nil || len(got) != 0 {
		t.Fatalf("as it was made: want none, got %+v, %v", got, err)
	}
	right := w.links["x"]
	w.links["x"] = link.HostPort{Name: "x", Addrs: []netip.Prefix{netip.MustParsePrefix("1.2.3.4/24")}}
	delete(w.links, PortName)
	got, err := e.Differences()
	if err != nil || len(got) != 2 {
		t.Fatalf("want two, got %+v, %v", got, err)
	}
	want := []model.Difference{
		{Owner: "host/h1", What: "changed: interface contivh0", Want: "172.19.255.254/16"},
		{Owner: "endpoint/default:x:h1", What: "changed: interface x", Was: "1.2.3.4/24", Want: "10.9.0.1/24"},
	}
	for i := range want {
		if got[i].Difference != want[i] {
			t.Errorf("want %+v, got %+v", want[i], got[i].Difference)
		}
		if err := e.Repair(t.Context(), got[i].Thing); err != nil {
			t.Error(err)
		}
	}
	if got, _ := e.Differences(); len(got) != 0 || !slices.Equal(w.links["x"].Addrs, right.Addrs) {
		t.Errorf("after a repair: got %+v, x is %+v", got, w.links["x"])
	}
	w.networks = nil
	if err := e.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, _ := e.Differences(); len(got) != 0 {
		t.Errorf("a network that is gone: want no differences, got %+v", got)
	}
	if err := e.Repair(t.Context(), "x"); err != nil || len(w.links) != 1 {
		t.Errorf("repair of an interface that is not wanted: got %v, %v", err, w.links)
	}
	w.refuse = errors.New("no memory")
	if _, err := e.Differences(); !errors.Is(err, w.refuse) {
		t.Errorf("want the error, got %v", err)
	}
}

// busy is a store that changes all the time.
type busy struct {
	*world
	looks int
}

func (b *busy) Surroundings() <-chan struct{} {
	changed := make(chan struct{})
	close(changed)
	return changed
}

func (b *busy) Global() record.Global {
	b.looks++
	return b.world.Global()
}

// The host is checked at most ten times a second, however often the store changes; a change after a pause is handled immediately.
func TestBurstOfChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &busy{world: newWorld("bridge")}
		e := New(Options{Host: "h1", Master: b, Flows: b, Switch: b, Links: b, Room: func() link.Room { return link.Room{Tunnel: 1500} }, Log: slog.New(slog.DiscardHandler)})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := e.Run(ctx); err != nil || b.looks < 9 || b.looks > 11 {
			t.Errorf("want ten looks in a second, got %d, %v", b.looks, err)
		}
	})
}

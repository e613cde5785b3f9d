// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// world is a fake of the master, the store, Open vSwitch and the kernel: it keeps the objects that it receives, refuses what the originals
// refuse, and can be made to fail.
type world struct {
	mu        sync.Mutex
	endpoints map[string]record.Endpoint // at the master, and in the store
	ports     map[string]ovsdb.Port      // in Open vSwitch
	links     map[string]link.Pair       // host ends in the kernel
	flows     map[string]uint32          // port of each endpoint
	fail      map[string]error           // by operation
	calls     []string
	next      int
	rev       uint64
	wants     string // port that someone has removed by hand
	other     uint32 // number that the switch gives in place of the requested one
}

func newWorld() *world {
	return &world{endpoints: map[string]record.Endpoint{}, ports: map[string]ovsdb.Port{}, links: map[string]link.Pair{},
		flows: map[string]uint32{}, fail: map[string]error{}}
}

func (w *world) engine() *Engine {
	return New(Options{Host: "h1", Master: w, Flows: w, Switch: w, Links: w, SoftSum: func() bool { return true },
		Room: func() link.Room { return link.Room{Tunnel: 1500, Overhead: 50} }, Log: slog.New(slog.DiscardHandler)})
}

// enter records a call and returns the failure planned for it; w.mu is held on return.
func (w *world) enter(op string) error {
	w.mu.Lock()
	w.calls = append(w.calls, op)
	return w.fail[op]
}

func (w *world) CreateEndpoint(_ context.Context, r model.CreateEndpointRequest) (record.Endpoint, uint64, error) {
	defer w.mu.Unlock()
	if err := w.enter("create"); err != nil {
		return record.Endpoint{}, 0, err
	}
	if r.Pod != nil { // the rest of what the master decides by
		r.TenantName, r.NetworkName = cmp.Or(r.TenantName, r.Pod.Namespace), cmp.Or(r.NetworkName, "net")
	}
	id := identity.Endpoint{Network: identity.Network{Tenant: r.TenantName, Name: r.NetworkName}, Endpoint: r.EndpointID}
	ep, ok := w.endpoints[id.String()]
	if !ok {
		w.next++
		w.rev++
		ep = record.Endpoint{ID: id, IP: netip.AddrFrom4([4]byte{10, 1, 1, byte(w.next)}), MAC: record.MAC{2, 2, 10, 1, 1, byte(w.next)},
			Host: r.ConfigEP.Host, ContainerID: r.ContainerID, Machine: r.Machine}
		w.endpoints[id.String()] = ep
	}
	return ep, w.rev, nil
}

func (w *world) DeleteEndpoint(_ context.Context, r model.DeleteEndpointRequest) error {
	defer w.mu.Unlock()
	if err := w.enter(strings.TrimSpace("delete " + r.Reason)); err != nil {
		return err
	}
	delete(w.endpoints, r.TenantName+":"+r.NetworkName+":"+r.EndpointID)
	return nil
}

func (w *world) SetPort(endpoint string, port uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.flows[endpoint] = port; port == 0 {
		delete(w.flows, endpoint)
	}
}

func (w *world) Wait(context.Context, string, uint64) error {
	defer w.mu.Unlock()
	return w.enter("flows")
}

func (w *world) Network(_ context.Context, id identity.Network) (record.Network, error) {
	return record.Network{ID: id, Encap: record.VXLAN, Subnet: netip.MustParsePrefix("10.1.1.0/24"), Gateway: netip.MustParseAddr("10.1.1.254")}, nil
}

func (w *world) Endpoint(id string) (record.Endpoint, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ep, ok := w.endpoints[id]
	return ep, ok
}

func (w *world) Local() []record.Endpoint {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []record.Endpoint
	for _, ep := range w.endpoints {
		out = append(out, ep)
	}
	return out
}

func (w *world) AddPort(_ context.Context, s ovsdb.PortSpec) error {
	if s.Device != nil {
		if err := s.Device(); err != nil {
			return err
		}
	}
	defer w.mu.Unlock()
	if err := w.enter("addport"); err != nil {
		return err
	}
	if _, ok := w.links[s.Name]; !ok {
		return errors.New("could not open network device")
	}
	p := ovsdb.Port{Name: s.Name, OFPort: s.OFPort, Requested: s.OFPort, ExternalIDs: s.ExternalIDs}
	if w.other != 0 {
		p.OFPort = w.other
	}
	w.ports[s.Name] = p
	return nil
}

func (w *world) WaitPort(_ context.Context, name string) (ovsdb.Port, error) {
	defer w.mu.Unlock()
	err := w.enter("waitport")
	return w.ports[name], err
}

func (w *world) RemovePort(_ context.Context, name string) error {
	defer w.mu.Unlock()
	err := w.enter("removeport")
	if err == nil {
		delete(w.ports, name)
	}
	return err
}

func (w *world) Relabel(_ context.Context, endpoints map[string]string) error {
	defer w.mu.Unlock()
	if err := w.enter("relabel"); err != nil {
		return err
	}
	for name, endpoint := range endpoints {
		w.ports[name].ExternalIDs[ovsdb.IDEndpoint] = endpoint
	}
	return nil
}

func (w *world) Port(name string) (ovsdb.Port, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, ok := w.ports[name]
	return p, ok
}

func (w *world) Wants(name string) bool { return name == w.wants }

func (w *world) Ports(key, value string) []ovsdb.Port {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []ovsdb.Port
	for _, p := range w.ports {
		if v, ok := p.ExternalIDs[key]; ok && (value == "" || v == value) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b ovsdb.Port) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (w *world) Create(p link.Pair) error {
	defer w.mu.Unlock()
	if err := w.enter("veth"); err != nil {
		return err
	}
	w.links[p.Host] = p
	return nil
}

func (w *world) Configure(link.Config) error {
	defer w.mu.Unlock()
	return w.enter("configure")
}

func (w *world) Check(c link.Config) error {
	defer w.mu.Unlock()
	err := w.enter("check")
	if _, ok := w.links[c.Host]; err == nil && !ok {
		err = link.ErrDiffers
	}
	return err
}

func (w *world) ScheduleDelete(names ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range names {
		delete(w.links, n)
	}
}

func (w *world) Exists(name string) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.links[name]
	return ok, nil
}

func (w *world) Alias(name string) (string, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, ok := w.links[name]
	return p.Alias, ok, nil
}

func (w *world) Names() ([]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for n := range w.links {
		out = append(out, n)
	}
	return out, nil
}

func (w *world) SetMTU(string, int) error                  { return nil }
func (w *world) SetContainerMTU(string, string, int) error { return nil }

func (w *world) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Sprintf("endpoints %d, ports %d, links %d, flows %d", len(w.endpoints), len(w.ports), len(w.links), len(w.flows))
}

const (
	nothing  = "endpoints 0, ports 0, links 0, flows 0"
	complete = "endpoints 1, ports 1, links 1, flows 1"
)

func request(t testing.TB) Request {
	return Request{ContainerID: "c1", IfName: "eth0", Netns: filepath.Join(t.TempDir(), "ns"), Tenant: "default",
		Network: "net", Owner: "cni/x"}
}

var errBroken = errors.New("broken")

// The master decides the network and the group of a pod, unless the request names them.
func TestPod(t *testing.T) {
	for _, row := range []struct{ name, tenant, network, want string }{
		{"no placement", "", "", "shop:net:c1"},
		{"a network", "", "front", "shop:front:c1"},
		{"a tenant and a network", "default", "front", "default:front:c1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld()
			e, r := w.engine(), request(t)
			r.Tenant, r.Network, r.Pod = row.tenant, row.network, &model.PodRequest{Namespace: "shop", Name: "web"}
			for range 2 { // the repetition finds the existing ones
				res, err := e.Attach(t.Context(), r)
				if err != nil || res.Endpoint.ID.String() != row.want {
					t.Fatalf("want endpoint %s, got %s, %v", row.want, res.Endpoint.ID, err)
				}
			}
			if p := w.ports[hostNames(identity.Endpoint{Network: networkOf(t, row.want), Endpoint: "c1"})[0]]; p.ExternalIDs[ovsdb.IDEndpoint] != row.want {
				t.Errorf("the port says it is of %q", p.ExternalIDs[ovsdb.IDEndpoint])
			}
			w.fail["create"] = errors.New("no")
			r.ContainerID = "c2"
			if _, err := e.Attach(t.Context(), r); err == nil || len(w.ports) != 1 {
				t.Errorf("the master refuses: got %v, and ports %v", err, w.ports)
			}
		})
	}
}

// networkOf returns the network of an endpoint's text.
func networkOf(t *testing.T, text string) identity.Network {
	id, err := identity.ParseEndpoint(text)
	if err != nil {
		t.Fatal(err)
	}
	return id.Network
}

// TestFailureAtEachStep breaks every step once: nothing is left over, and a repetition succeeds.
func TestFailureAtEachStep(t *testing.T) {
	for _, step := range []string{"create", "veth", "addport", "configure", "waitport", "flows"} {
		t.Run(step, func(t *testing.T) {
			w := newWorld()
			e := w.engine()
			w.fail[step] = errBroken
			if _, err := e.Attach(t.Context(), request(t)); !errors.Is(err, errBroken) {
				t.Fatalf("attach: want the failure of %s, got %v", step, err)
			}
			if got := w.String(); got != nothing {
				t.Errorf("after the failure: want %s, got %s", nothing, got)
			}
			delete(w.fail, step)
			for range 2 {
				res, err := e.Attach(t.Context(), request(t))
				if err != nil {
					t.Fatal(err)
				}
				if res.MTU != 1450 || fmt.Sprint(res.Addrs) == "[]" || fmt.Sprint(res.Gateways) != "[10.1.1.254]" || res.OFPort == 0 {
					t.Errorf("result: want addresses, gateway, MTU 1450 and a port, got %+v", res)
				}
			}
			if got := w.String(); got != complete {
				t.Errorf("after the repeats: want %s, got %s", complete, got)
			}
			for range 2 {
				if err := e.Detach(t.Context(), "c1", "eth0"); err != nil {
					t.Fatal(err)
				}
			}
			if got := w.String(); got != nothing {
				t.Errorf("after the detach: want %s, got %s", nothing, got)
			}
		})
	}
}

// TestMasterAway: an attachment that cannot be rolled back stays visible, and a later detach or sweep removes it.
func TestMasterAway(t *testing.T) {
	w := newWorld()
	e := w.engine()
	r := request(t)
	w.fail["flows"], w.fail["delete "+whyUndone], w.fail["delete "+whyAsked] = errBroken, errBroken, errBroken
	if _, err := e.Attach(t.Context(), r); !errors.Is(err, errBroken) {
		t.Fatalf("attach: want a failure, got %v", err)
	}
	if got := w.String(); got != complete {
		t.Errorf("while the master is away: want %s, got %s", complete, got)
	}
	if err := e.Detach(t.Context(), "c1", "eth0"); !errors.Is(err, errBroken) {
		t.Errorf("detach while the master is away: want its error, got %v", err)
	}
	clear(w.fail)
	w.ScheduleDelete(link.Name("default:net:c1", 0)) // the sandbox ends; its namespace's path never was
	if err := e.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.String(); got != nothing {
		t.Errorf("after the sweep: want %s, got %s", nothing, got)
	}
}

// TestCrash starts with the state that an agent leaves if it crashes during an attachment.
func TestCrash(t *testing.T) {
	name := link.Name("default:net:c1", 0)
	rows := []struct {
		name  string
		left  func(w *world, r Request)
		swept string // after a sweep while the container lives
	}{
		{"only endpoint", func(w *world, r Request) {
			_, _, _ = w.CreateEndpoint(t.Context(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "net", EndpointID: "c1"})
		}, "endpoints 1, ports 0, links 0, flows 0"},
		{"only link", func(w *world, r Request) { w.links[name] = link.Pair{Host: name} }, nothing},
		{"link and port", func(w *world, r Request) {
			w.links[name] = link.Pair{Host: name}
			w.ports[name] = ovsdb.Port{Name: name, OFPort: 5, Requested: 5, ExternalIDs: externalIDs(r, &record.Endpoint{ID: r.identity()})}
		}, "endpoints 0, ports 1, links 1, flows 1"},
		{"only port", func(w *world, r Request) {
			w.ports[name] = ovsdb.Port{Name: name, Requested: 5, ExternalIDs: externalIDs(r, &record.Endpoint{ID: r.identity()})}
		}, nothing},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r := request(t)
			for what, act := range map[string]func(w *world, e *Engine) error{
				"repeat": func(_ *world, e *Engine) error { _, err := e.Attach(t.Context(), r); return err },
				"detach": func(*world, *Engine) error { return nil },
				"sweep": func(w *world, e *Engine) error {
					err := e.Sweep(t.Context())
					if got := w.String(); got != row.swept {
						t.Errorf("after a sweep: want %s, got %s", row.swept, got)
					}
					return err
				},
			} {
				w := newWorld()
				row.left(w, r)
				e := w.engine()
				e.Restore()
				if err := act(w, e); err != nil {
					t.Errorf("%s: %v", what, err)
				}
				if what == "repeat" && w.String() != complete {
					t.Errorf("repeat: want %s, got %s", complete, w)
				}
				if err := e.Detach(t.Context(), "c1", "eth0"); err != nil {
					t.Errorf("detach after %s: %v", what, err)
				}
				if err := e.Sweep(t.Context()); err != nil {
					t.Error(err)
				}
				if got := w.String(); got != nothing {
					t.Errorf("in the end, after %s: want %s, got %s", what, nothing, got)
				}
			}
		})
	}
}

func TestAnotherPortNumber(t *testing.T) {
	w := newWorld()
	w.other = 77
	e := w.engine()
	res, err := e.Attach(t.Context(), request(t))
	if err != nil || res.OFPort != 77 || w.flows["default:net:c1"] != 77 {
		t.Errorf("switch that gives number 77: want flows for 77, got %d, %v, %v", res.OFPort, w.flows, err)
	}
}

func TestOperationsOnOneEndpointTakeTurns(t *testing.T) {
	w := newWorld()
	e := w.engine()
	r := request(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if i%2 == 0 {
				_, _ = e.Attach(t.Context(), r)
			} else if err := e.Detach(t.Context(), "c1", "eth0"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := e.Detach(t.Context(), "c1", "eth0"); err != nil {
		t.Fatal(err)
	}
	if got := w.String(); got != nothing {
		t.Errorf("in the end: want %s, got %s", nothing, got)
	}
	unlock, err := e.locks.lock(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := e.Attach(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("attach behind one that hangs: want the deadline, got %v", err)
	}
}

func TestInvalidRequests(t *testing.T) {
	for name, spoil := range map[string]func(*Request){
		"no container": func(r *Request) { r.ContainerID = "" },
		"no namespace": func(r *Request) { r.Netns = "" },
		"no tenant":    func(r *Request) { r.Tenant = "" },
		"long name":    func(r *Request) { r.IfName = "aaaaaaaaaaaaaaaa" },
		"path as name": func(r *Request) { r.IfName = "../x" },
	} {
		w := newWorld()
		r := request(t)
		spoil(&r)
		if _, err := w.engine().Attach(t.Context(), r); !errors.Is(err, ErrInvalid) || len(w.calls) > 0 {
			t.Errorf("%s: want ErrInvalid and no call, got %v %v", name, err, w.calls)
		}
	}
}

func TestKeepAndReclaim(t *testing.T) {
	w := newWorld()
	e := w.engine()
	for _, c := range []struct{ id, owner string }{{"c1", "cni/x"}, {"c2", "cni/x"}, {"c3", "cni/y"}} {
		r := request(t)
		r.ContainerID, r.Owner = c.id, c.owner
		if _, err := e.Attach(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Keep(t.Context(), "cni/x", map[[2]string]bool{{"c2", "eth0"}: true}); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, a := range e.List() {
		left = append(left, a.ContainerID)
	}
	slices.Sort(left)
	if fmt.Sprint(left) != "[c2 c3]" {
		t.Errorf("after the garbage collection of x: want [c2 c3], got %v", left)
	}
	if err := e.Reclaim(t.Context(), "default:net:c3"); err != nil {
		t.Fatal(err)
	}
	if got := w.String(); got != "endpoints 2, ports 1, links 1, flows 1" {
		t.Errorf("after the master reclaimed c3: want its endpoint untouched and all else gone, got %s", got)
	}
}

func TestNumbers(t *testing.T) {
	n := newNumbers()
	n.use(2, "fixed")
	seen := map[uint32]bool{2: true}
	for i := range 2000 {
		got, err := n.allocate(fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		if seen[got] || got == 0 || (got >= holeStart && got <= holeEnd) {
			t.Fatalf("number %d: want an unused one outside of %d..%d", got, holeStart, holeEnd)
		}
		seen[got] = true
	}
	n.release(n.owner[5])
	if got, err := n.allocate("later"); err != nil || got == 5 {
		t.Errorf("number after 5 was released: want a longer unused one, got %d %v", got, err)
	}
	// An owner has one number, and releases no other.
	n.use(7, "later")
	if got, err := n.allocate("later"); err != nil || got != 7 {
		t.Errorf("the number of an owner: want 7, got %d %v", got, err)
	}
	n.release("5")
	n.release("5")
	if n.owner[7] != "later" || len(n.owner) != len(n.of) {
		t.Errorf("a number whose owner has changed: want it with the new one, got %q; %d numbers of %d owners", n.owner[7], len(n.owner), len(n.of))
	}
}

// Numbers of failed attempts are released, also while no master answers, except those of existing ports.
func TestNumbersComeBack(t *testing.T) {
	w := newWorld()
	e := w.engine()
	w.fail["delete "+whyUndone] = errBroken
	for _, step := range []string{"create", "veth", "addport"} {
		w.fail[step] = errBroken
		if _, err := e.Attach(t.Context(), request(t)); !errors.Is(err, errBroken) {
			t.Fatalf("%s: want the failure, got %v", step, err)
		}
		if len(e.numbers.owner) != 0 || len(w.flows) != 0 {
			t.Errorf("failure of %s and no master: want no number taken, got %v, flows %v", step, e.numbers.owner, w.flows)
		}
		delete(w.fail, step)
	}
	w.fail["flows"] = errBroken
	if _, err := e.Attach(t.Context(), request(t)); err == nil || len(w.ports) != 1 || len(e.numbers.owner) != 1 {
		t.Errorf("a port that stands: want its number kept, got %v, %s, %v", err, w, e.numbers.owner)
	}
	delete(w.fail, "delete "+whyUndone)
	if err := e.Detach(t.Context(), "c1", "eth0"); err != nil || len(e.numbers.owner) != 0 {
		t.Errorf("after the detachment: want no number taken, got %v %v", err, e.numbers.owner)
	}
}

// A port that got another number than requested releases only its own number, not the requested one, which another port has now.
func TestClashedNumberIsAnothers(t *testing.T) {
	w := newWorld()
	e := w.engine()
	w.other = 40
	if _, err := e.Attach(t.Context(), request(t)); err != nil {
		t.Fatal(err)
	}
	w.other, e.numbers.next = 0, firstNumber // all numbers have had their turn
	r := request(t)
	r.ContainerID = "c2"
	res, err := e.Attach(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Detach(t.Context(), "c1", "eth0"); err != nil {
		t.Fatal(err)
	}
	if got := e.numbers.owner[res.OFPort]; got != res.Endpoint.ID.String() || len(e.numbers.owner) != 1 {
		t.Errorf("number %d after another's detachment: want it with %s, got %v", res.OFPort, res.Endpoint.ID, e.numbers.owner)
	}
}

// The name of a container and that of its interface are joined, so two pairs may give the same text: neither is mistaken for the other.
func TestAmbiguousContainers(t *testing.T) {
	w := newWorld()
	e := w.engine()
	a, b := request(t), request(t)
	a.IfName = "eth1"
	b.ContainerID = "c1-eth1"
	if _, err := e.Attach(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Attach(t.Context(), b); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "interface eth1 of container c1:") {
		t.Errorf("a container whose id is taken: want it refused and the other named, got %v", err)
	}
	clear(w.ports)
	if err := e.Detach(t.Context(), b.ContainerID, b.IfName); err != nil || len(w.endpoints) != 1 {
		t.Errorf("its detachment: want the other's endpoint left, got %v, %s", err, w)
	}
}

// An interface whose port was removed by hand still belongs to a container: the port is recreated, so the sweep leaves the interface.
func TestSweepLeavesWhatIsRepaired(t *testing.T) {
	w := newWorld()
	e := w.engine()
	if _, err := e.Attach(t.Context(), request(t)); err != nil {
		t.Fatal(err)
	}
	name := link.Name("default:net:c1", 0)
	delete(w.ports, name)
	for _, row := range []struct {
		wants string
		links int
	}{{name, 1}, {"", 0}} {
		if w.wants = row.wants; w.wants == "" {
			w.endpoints = map[string]record.Endpoint{}
		}
		if err := e.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(w.links) != row.links {
			t.Errorf("with %q wanted: want %d interfaces, got %v", row.wants, row.links, w.links)
		}
	}
}

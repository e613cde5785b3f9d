// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/channel/channeltest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/table"
)

// switchless is a Bridge that applies every change immediately.
type switchless struct {
	mu      sync.Mutex
	state   *ofnet.State
	rev     uint64
	touched map[ofnet.Key]int // how often
	updates int
	rewinds int
	changed chan struct{}
}

func (b *switchless) Rewind() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rewinds++
}

func newSwitchless() *switchless {
	return &switchless{touched: map[ofnet.Key]int{}, state: ofnet.NewState(""), changed: make(chan struct{})}
}

func (b *switchless) Update(rev uint64, change func(s *ofnet.State)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if change != nil {
		before := b.state.Clone()
		change(b.state)
		for _, k := range changedKeys(before, b.state) {
			b.touched[k]++
		}
		b.updates++
	}
	b.rev = rev
	close(b.changed)
	b.changed = make(chan struct{})
}

func (b *switchless) Wait(ctx context.Context, rev uint64) error {
	return b.until(ctx, func() bool { return b.rev >= rev })
}

func (b *switchless) Owner(k ofnet.Key) (bridge.OwnerStatus, bool) {
	return bridge.OwnerStatus{Owner: k, Phase: bridge.Done}, true
}

func (b *switchless) Outcome(_ context.Context, k ofnet.Key) (bridge.OwnerStatus, bool, error) {
	status, ok := b.Owner(k)
	return status, ok, nil
}

func (b *switchless) until(ctx context.Context, ok func() bool) error {
	for {
		b.mu.Lock()
		done, changed := ok(), b.changed
		b.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

type world struct {
	tb   testing.TB
	ctx  context.Context
	db   *memory.Store // the test's client
	own  *memory.Store // the engine's
	b    *switchless
	e    *Engine
	logs *strings.Builder
}

func start(t testing.TB, before ...any) *world {
	t.Helper()
	return begin(t, func(*Engine) {}, before...)
}

// begin does the same as start, for an engine that options changes.
func begin(t testing.TB, options func(*Engine), before ...any) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	w := &world{tb: t, ctx: ctx, db: memory.New(), b: newSwitchless(), logs: &strings.Builder{}}
	for _, r := range before {
		w.put(r)
	}
	w.own = w.db.Open()
	w.e = New(Options{Bridge: w.b, Self: ofnet.Host{Label: "h1", VTEP: netip.MustParseAddr("192.0.2.1")},
		Fixed: ofnet.Ports{Tunnel: 1000, Uplink: 1001, Host: 1002}, Log: slog.New(slog.NewTextHandler(w.logs, nil))})
	options(w.e)
	following := w.e.following
	following.Source = channeltest.Source{Store: w.own}
	done := make(chan error, 1)
	go func() { done <- w.e.Run(ctx, following) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run after cancel: want nil, got %v", err)
		}
	})
	select {
	case <-w.e.Ready():
	case <-ctx.Done():
		t.Fatal("the engine did not become ready")
	}
	return w
}

func key(r any) string {
	switch r := r.(type) {
	case record.Global:
		return record.GlobalKey
	case record.Tenant:
		return record.Tenants + r.Tenant
	case record.Network:
		return record.Networks + r.ID.String()
	case record.Group:
		return record.Groups + r.ID.String()
	case record.Endpoint:
		return record.Endpoints + r.ID.String()
	case record.Rule:
		return record.Rules + r.ID.String()
	case record.Attachment:
		return record.Attachments + r.ID.String()
	case record.ServiceLB:
		return record.ServiceLBs + r.ID.String()
	case record.Provider:
		return record.Providers + r.ID.String()
	case record.BGP:
		return record.BGPs + r.Hostname
	case record.DockerNetwork:
		return record.DockerNetworks + r.ID
	case record.Host:
		return record.Hosts + r.Label
	case record.Service:
		return r.Key()
	case record.KubernetesService:
		return record.KubernetesServices + r.ID.String()
	case record.EndpointSlice:
		return record.EndpointSlices + r.ID.String()
	case record.KubernetesNode:
		return record.KubernetesNodes + r.Name
	case record.Namespace:
		return record.Namespaces + r.Name
	case netpolicy.Policy:
		return record.NetworkPolicies + r.ID.String()
	case netpolicy.ClusterPolicy:
		return record.ClusterNetworkPolicies + r.Name
	}
	panic(fmt.Sprintf("no key for %T", r))
}

func (w *world) commit(tx *store.Tx) uint64 {
	w.tb.Helper()
	rev, err := w.db.Commit(w.ctx, tx)
	if err != nil {
		w.tb.Fatal(err)
	}
	return uint64(rev)
}

func (w *world) put(r any) uint64 {
	w.tb.Helper()
	value, err := json.Marshal(r)
	if err != nil {
		w.tb.Fatal(err)
	}
	var tx store.Tx
	tx.Put(key(r), value)
	return w.commit(&tx)
}

func (w *world) del(r any) uint64 {
	var tx store.Tx
	tx.Delete(key(r))
	return w.commit(&tx)
}

// reach waits until the state satisfies ok.
func (w *world) reach(what string, ok func(s *ofnet.State) bool) {
	w.tb.Helper()
	if err := w.b.until(w.ctx, func() bool { return ok(w.b.state) }); err != nil {
		w.tb.Fatalf("%s did not come about: %v", what, err)
	}
}

func tenant(name string, vrf uint16) record.Tenant {
	return record.Tenant{ID: name, Tenant: name, VRF: vrf}
}

func network(name, tenant string, vni int) record.Network {
	return record.Network{ID: identity.Network{Tenant: tenant, Name: name}, Encap: record.VXLAN, PktTag: 2, ExtPktTag: vni,
		Subnet: netip.MustParsePrefix("10.1.1.0/24"), Gateway: netip.MustParseAddr("10.1.1.254")}
}

func member(n record.Network, container, host string, last int) record.Endpoint {
	return record.Endpoint{ID: identity.Endpoint{Network: n.ID, Endpoint: container}, Host: host,
		IP: netip.AddrFrom4([4]byte{10, 1, 1, byte(last)}), MAC: record.MAC{2, 2, 10, 1, 1, byte(last)}}
}

func group(name, tenant string, number int) record.Group {
	return record.Group{ID: identity.Group{Tenant: tenant, Name: name}, Number: number}
}

func machine(host, ip string) record.Host {
	return record.Host{Label: host, Machine: "m", VTEP: netip.MustParseAddr(ip), Port: 4789, UplinkMAC: record.MAC{2, 0, 0, 0, 0, 2}}
}

func TestEndpointsOfPresentTenantsOnly(t *testing.T) {
	blue, red := network("net", "blue", 100), network("net", "red", 200)
	w := start(t, tenant("blue", 1), tenant("red", 2), blue, red, machine("h2", "192.0.2.2"),
		member(blue, "b1", "h1", 1), member(blue, "b2", "h2", 2), member(red, "r2", "h2", 2))
	w.reach("blue only", func(s *ofnet.State) bool {
		return s.Endpoints.Len() == 2 && s.Segments.Len() == 1 && s.Tenants.Len() == 1 && s.Hosts.Len() == 2 &&
			s.Local.Tunnel == 1000 && s.Self == "h1"
	})
	here := member(red, "r1", "h1", 1)
	w.e.SetPort(here.ID.String(), 17)
	rev := w.put(here)
	if err := w.e.Wait(w.ctx, here.ID.String(), rev); err != nil {
		t.Fatal(err)
	}
	w.reach("red whole", func(s *ofnet.State) bool {
		return s.Endpoints.Len() == 4 && s.Segments.Len() == 2 && s.Tenants.Get("red").ID == 2 &&
			s.Endpoints.Get(here.ID.String()).Port == 17 && s.Endpoints.Get("red:net:r2").Port == 0
	})
	w.e.SetPort(here.ID.String(), 18)
	w.reach("another port", func(s *ofnet.State) bool { return s.Endpoints.Get(here.ID.String()).Port == 18 })
	w.del(here)
	w.reach("red gone again", func(s *ofnet.State) bool { return s.Endpoints.Len() == 2 && s.Tenants.Get("red") == nil })
	if got := w.e.Local(); len(got) != 1 || got[0].ID.Endpoint != "b1" {
		t.Errorf("endpoints of this host: want b1, got %v", got)
	}
}

func TestSilentHostKeepsItsEndpoints(t *testing.T) {
	blue := network("net", "blue", 100)
	there := member(blue, "b2", "h2", 2)
	w := start(t, tenant("blue", 1), blue, machine("h2", "192.0.2.2"), member(blue, "b1", "h1", 1), there)
	w.reach("both", func(s *ofnet.State) bool { return s.Endpoints.Len() == 2 && s.Hosts.Get("h2") != nil })
	w.del(machine("h2", "192.0.2.2"))
	w.put(group("g", "blue", 5))
	w.reach("the group, with the silent host", func(s *ofnet.State) bool {
		return s.Groups.Get("blue:g") != nil && s.Endpoints.Get(there.ID.String()) != nil &&
			s.Hosts.Get("h2") != nil && s.Hosts.Get("h2").VTEP == netip.MustParseAddr("192.0.2.2")
	})
	w.put(machine("h2", "192.0.2.22"))
	w.reach("the host at its new address", func(s *ofnet.State) bool {
		return s.Hosts.Get("h2").VTEP == netip.MustParseAddr("192.0.2.22")
	})
	w.del(machine("h2", "192.0.2.22"))
	w.del(there)
	w.reach("silent and empty host gone", func(s *ofnet.State) bool { return s.Hosts.Get("h2") == nil })
}

// A network forwards in the same way if its name or its tenant's name has dots, also as the only one on its host.
func TestDottedNetworks(t *testing.T) {
	net := network("a.b", "c.d", 100)
	w := start(t, tenant("c.d", 1))
	here := member(net, "m", "h1", 1)
	w.e.SetPort(here.ID.String(), 17)
	w.put(here) // before its network, as lists of the store come
	w.put(net)
	w.reach("tenant, network and endpoint", func(s *ofnet.State) bool {
		e := s.Endpoints.Get(here.ID.String())
		return s.Tenants.Get("c.d") != nil && s.Segments.Get("c.d:a.b") != nil && e != nil && e.Port == 17
	})
	if got := w.e.Local(); len(got) != 1 || got[0].ID != here.ID {
		t.Errorf("endpoints of this host: want one of network a.b of tenant c.d, got %+v", got)
	}
	w.del(here)
	w.reach("nothing", func(s *ofnet.State) bool { return s.Tenants.Len()+s.Segments.Len()+s.Endpoints.Len() == 0 })
}

func TestGlobalConfigurationChangesSegments(t *testing.T) {
	blue := network("net", "blue", 100)
	w := start(t, tenant("blue", 1), blue, member(blue, "b1", "h1", 1))
	w.reach("defaults", func(s *ofnet.State) bool {
		n := s.Segments.Get("blue:net")
		return n != nil && n.Mode == ofnet.Bridge && n.ARP == ofnet.Proxy && n.Encap == ofnet.VXLAN && n.Tag == 100
	})
	w.put(record.Global{FwdMode: record.FwdRouting, ArpMode: record.ArpFlood})
	w.reach("routing and flood", func(s *ofnet.State) bool {
		n := s.Segments.Get("blue:net")
		return n.Mode == ofnet.Routing && n.ARP == ofnet.Flood
	})
}

func TestMalformedRecordsAreSkipped(t *testing.T) {
	blue := network("net", "blue", 100)
	bad := []struct{ name, key, value string }{
		{"not JSON", record.Endpoints + "blue:net:x1", "{"},
		{"another name", record.Endpoints + "blue:net:x2", `{"netID":"net.blue","endpointID":"other"}`},
		{"bad MAC", record.Endpoints + "blue:net:x3", `{"netID":"net.blue","endpointID":"x3","macAddress":"zz"}`},
		{"bad address", record.Endpoints + "blue:net:x4", `{"netID":"net.blue","endpointID":"x4","macAddress":"02:02:00:00:00:01","ipAddress":"x"}`},
		{"no MAC", record.Endpoints + "blue:net:x5", `{"netID":"net.blue","endpointID":"x5","ipAddress":"10.1.1.5"}`},
		{"no identity", record.Endpoints + "blue:net:x6", `{"macAddress":"02:02:00:00:00:01"}`},
		{"VNI", record.Networks + "t:n1", `{"tenant":"t","networkName":"n1","pktTagType":"vxlan","extPktTag":99999999}`},
		{"encapsulation", record.Networks + "t:n2", `{"tenant":"t","networkName":"n2","pktTagType":"gre"}`},
		{"gateway outside", record.Networks + "t:n3", `{"tenant":"t","networkName":"n3","pktTagType":"vlan","pktTag":5,"subnetIP":"10.0.0.0","subnetLen":24,"gateway":"11.0.0.1"}`},
		{"service without a tenant", record.ServiceLBs + "t:s", `{"servicename":"s","ipaddress":"10.0.0.9"}`},
		{"provider without an address", record.Providers + "t:s", `{"id":"s:t","Providers":[""]}`},
		{"VRF", record.Tenants + "t", `{"tenant":"t","vrf":0}`},
		{"group number", record.Groups + "t:g", `{"tenantName":"t","groupName":"g"}`},
		{"host address", record.Hosts + "x", `{"host":"x","machine":"m","vtep":"x","port":4789}`},
		{"host MAC", record.Hosts + "y", `{"host":"y","machine":"m","vtep":"192.0.2.9","port":4789,"uplinkMac":"q"}`},
		{"no host", record.Hosts + "z", `{"host":"z","machine":"m","port":4789}`},
		{"another host", record.Hosts + "w", `{"host":"v","machine":"m","vtep":"192.0.2.9","port":4789}`},
		{"netmaster without a port", record.Services + "netmaster/192.0.2.1:0", `{"ServiceName":"netmaster","HostAddr":"192.0.2.1"}`},
	}
	w := start(t, tenant("blue", 1), blue)
	var tx store.Tx
	for _, b := range bad {
		tx.Put(b.key, []byte(b.value))
	}
	tx.Put(record.State+"unknown/thing", []byte("\xff"))
	w.commit(&tx)
	w.put(member(blue, "b1", "h1", 1))
	w.reach("the good endpoint", func(s *ofnet.State) bool { return s.Endpoints.Len() == 1 && s.Segments.Len() == 1 })
	// The call is made without the bridge's lock, since the engine takes that lock while it holds its own.
	for len(w.e.Malformed()) != len(bad) {
		if w.ctx.Err() != nil {
			t.Fatalf("malformed records: want %d, got %v", len(bad), w.e.Malformed())
		}
		runtime.Gosched()
	}
	w.e.mu.Lock()
	logs := w.logs.String()
	w.e.mu.Unlock()
	for _, b := range bad {
		if got := strings.Count(logs, "key="+b.key); got != 1 {
			t.Errorf("%s: want one log line naming %s, got %d", b.name, b.key, got)
		}
	}
}

func TestStoreAwayAndBack(t *testing.T) {
	blue := network("net", "blue", 100)
	ep := member(blue, "b1", "h1", 1)
	w := start(t, tenant("blue", 1), blue, ep)
	w.reach("the endpoint", func(s *ofnet.State) bool { return s.Endpoints.Len() == 1 })
	w.own.Away()
	rev := w.put(member(blue, "b2", "h2", 2))
	w.reach("the outage is noted", func(*ofnet.State) bool { return w.b.state.Endpoints.Len() == 1 })
	w.own.Back()
	if err := w.b.Wait(w.ctx, rev); err != nil {
		t.Fatal(err)
	}
	w.reach("both", func(s *ofnet.State) bool { return s.Endpoints.Len() == 2 })
	w.b.mu.Lock()
	times := maps.Clone(w.b.touched)
	w.b.mu.Unlock()
	for k, n := range times {
		if n != 1 {
			t.Errorf("changes of %s by listing everything again: want 1, got %d", k, n)
		}
	}
	if n, err := w.e.Network(w.ctx, blue.ID); err != nil || n.ExtPktTag != 100 {
		t.Errorf("network: want VNI 100, got %v %v", n, err)
	}
}

// A recreated store is logged once; the state follows it from there.
func TestStoreMadeAnew(t *testing.T) {
	blue := network("net", "blue", 100)
	w := start(t, tenant("blue", 1), blue, member(blue, "b1", "h1", 1), member(blue, "b2", "h2", 2))
	w.reach("both endpoints", func(s *ofnet.State) bool { return s.Endpoints.Len() == 2 })
	was, _ := w.e.Seen()
	w.own.Away()
	w.db.Recreate()
	w.put(tenant("blue", 1))
	w.own.Back()
	w.reach("nothing but the new store's", func(s *ofnet.State) bool { return s.Endpoints.Len() == 0 && w.b.rewinds == 1 })
	w.put(blue)
	rev := w.put(member(blue, "b3", "h1", 3))
	if rev >= was {
		t.Fatalf("want a store of fewer changes than %d, got %d", was, rev)
	}
	w.reach("the new endpoint", func(s *ofnet.State) bool { return s.Endpoints.Get("blue:net:b3") != nil && w.b.rev == rev })
	w.own.Away()
	w.own.Back()
	rev = w.put(member(blue, "b4", "h1", 4))
	w.reach("a gap in the same store", func(s *ofnet.State) bool { return s.Endpoints.Len() == 2 && w.b.rev == rev && w.b.rewinds == 1 })
	if seen, _ := w.e.Seen(); seen != rev {
		t.Errorf("want revision %d of the new store known, got %d", rev, seen)
	}
	w.e.mu.Lock()
	defer w.e.mu.Unlock()
	if got := strings.Count(w.logs.String(), "the store was recreated"); got != 1 {
		t.Errorf("want it logged once, got %d times in %s", got, w.logs)
	}
}

func FuzzRecords(f *testing.F) {
	f.Add(record.Endpoints+"blue:net:x", []byte(`{"netID":"net.blue","endpointID":"x","macAddress":"02:02:00:00:00:01","ipAddress":"10.0.0.1","homingHost":"h1"}`))
	f.Add(record.Networks+"t:n", []byte(`{"tenant":"t","networkName":"n","pktTagType":"vlan","pktTag":5,"subnetIP":"10.0.0.0","subnetLen":24,"gateway":"10.0.0.1","ipv6SubnetIP":"::1","ipv6SubnetLen":999}`))
	f.Add(record.GlobalKey, []byte(`null`))
	f.Add(record.Hosts+"h", []byte(`{"host":"h","machine":"m","vtep":"192.0.2.9","port":4789}`))
	f.Add(record.Services+"netmaster/192.0.2.1:9999", []byte(`{"ServiceName":"netmaster","HostAddr":"192.0.2.1","Port":9999}`))
	f.Add(record.Groups+"t:g", []byte(`{"tenantName":"t","groupName":"g","endpointGroupId":1}`))
	f.Add(record.NetworkPolicies+"ns:p", []byte(`{"id":"ns:p","pods":[{"key":"app","operator":"In","values":["web"]}],"ingress":{"isolates":true,"rules":[{"number":1,"peers":[{"own":true}],"ports":[{"protocol":6,"first":80,"last":80}]}]}}`))
	f.Add(record.ClusterNetworkPolicies+"c", []byte(`{"name":"c","tier":"Admin","egress":{"rules":[{"number":1,"peers":[{"block":"10.0.0.0/8","except":["10.1.0.0/16"]}],"action":"Deny"}]}}`))
	f.Add(record.Namespaces+"ns", []byte(`{"name":"ns","uid":"u","labels":{"team":"a"}}`))
	f.Add(record.Tenants+"t", []byte(`{"tenant":"t","vrf":1}`))
	f.Add(record.DockerNetworks+"d1", []byte(`{"docknetUUID":"d1","tenantName":"t","networkName":"n","host":"h1","pools":["10.0.0.0/24"]}`))
	f.Add(record.Networks+"blue:net", []byte(`{"tenant":"blue","networkName":"net","pktTagType":"vlan","pktTag":5,"subnetIP":"10.0.0.0","subnetLen":24}`))
	f.Fuzz(func(t *testing.T, key string, value []byte) {
		r, s := newRecords("h1"), ofnet.NewState("h1")
		r.ports.Set("blue:net:b1", 7)
		r.ports.Set("blue:net:x", 8)
		rev := uint64(0)
		follow := func(do func() error) (changed []ofnet.Key, err error) {
			before, had := s.Clone(), r.clone()
			err = do()
			r.translate(had, s)
			return changedKeys(before, s), err
		}
		take := func(key string, value []byte) ([]ofnet.Key, error) {
			rev++
			return follow(func() error { return r.put(channel.Item{Key: key, Value: value, Revision: rev}) })
		}
		settled := func() {
			t.Helper()
			for _, before := range oneContainer {
				if _, err := take(before.key, []byte(before.value)); err != nil {
					t.Fatal(err)
				}
			}
		}
		settled()
		want := texts(s)
		if e := s.Endpoints.Get("blue:net:b1"); e == nil || e.Port != 7 {
			t.Fatalf("want the endpoint of this host at its port, got %+v", e)
		}
		if _, err := take(key, value); err != nil {
			return
		}
		changed, err := take(key, value)
		if err != nil || len(changed) != 0 {
			t.Fatalf("the same record again: want no change, got %v, %v", changed, err)
		}
		_, _ = follow(func() error {
			r.del(key)
			return nil
		})
		settled()
		if key == record.GlobalKey {
			return // the configuration cannot be withdrawn
		}
		if got := texts(s); got != want {
			t.Errorf("after deletion: want\n%s\ngot\n%s", want, got)
		}
	})
}

// oneContainer has the records of a host with one container.
var oneContainer = []struct{ key, value string }{
	{record.GlobalKey, `{"id":"global","fwd-mode":"bridge","arp-mode":"proxy","pvt-subnet":"172.19.0.0/16"}`},
	{record.Tenants + "blue", `{"id":"blue","tenant":"blue","vrf":3}`},
	{record.Networks + "blue:net", `{"id":"net.blue","tenant":"blue","networkName":"net","pktTagType":"vxlan","pktTag":1,"extPktTag":6,"subnetIP":"10.0.0.0","subnetLen":24,"gateway":"10.0.0.254","ipAddrRange":"10.0.0.1-10.0.0.254"}`},
	{record.Groups + "blue:g", `{"id":"g:blue","groupName":"g","tenantName":"blue","networkName":"net","endpointGroupId":2}`},
	{record.Hosts + "h1", `{"host":"h1","machine":"m1","vtep":"192.0.2.1","port":4789}`},
	{record.Hosts + "h2", `{"host":"h2","machine":"m2","vtep":"192.0.2.2","port":4789}`},
	{record.Endpoints + "blue:net:b1", `{"id":"net.blue-b1","netID":"net.blue","endpointID":"b1","endpointGroupId":2,"endpointGroupKey":"g:blue","ipAddress":"10.0.0.1","macAddress":"02:02:0a:00:00:01","homingHost":"h1"}`},
	{record.Endpoints + "blue:net:b2", `{"id":"net.blue-b2","netID":"net.blue","endpointID":"b2","ipAddress":"10.0.0.2","macAddress":"02:02:0a:00:00:02","homingHost":"h2"}`},
}

// texts returns the intended state of a switch as text.
func texts(s *ofnet.State) string {
	var b strings.Builder
	for _, part := range []any{maps.Collect(s.Tenants.All()), maps.Collect(s.Segments.All()), maps.Collect(s.Groups.All()), maps.Collect(s.Endpoints.All()),
		maps.Collect(s.Hosts.All()), maps.Collect(s.Rules.All()), maps.Collect(s.Attachments.All()), maps.Collect(s.Services.All()),
		maps.Collect(s.ClassPolicies.All()), slices.Sorted(maps.Keys(maps.Collect(s.Judgements.All())))} {
		text, err := json.Marshal(part)
		if err != nil {
			panic(err) // of no type of State
		}
		b.Write(append(text, '\n'))
	}
	return b.String()
}

// changedKeys returns the keys of the rows that differ between two States.
func changedKeys(before, after *ofnet.State) (out []ofnet.Key) {
	out = appendChanged(out, ofnet.KindHost, before.Hosts, after.Hosts)
	out = appendChanged(out, ofnet.KindTenant, before.Tenants, after.Tenants)
	out = appendChanged(out, ofnet.KindSegment, before.Segments, after.Segments)
	out = appendChanged(out, ofnet.KindGroup, before.Groups, after.Groups)
	out = appendChanged(out, ofnet.KindRule, before.Rules, after.Rules)
	out = appendChanged(out, kindAttachment, before.Attachments, after.Attachments)
	out = appendChanged(out, ofnet.KindService, before.Services, after.Services)
	out = appendChanged(out, ofnet.KindClassPolicy, before.ClassPolicies, after.ClassPolicies)
	out = appendChanged(out, kindJudgement, before.Judgements, after.Judgements)
	return appendChanged(out, ofnet.KindEndpoint, before.Endpoints, after.Endpoints)
}

func appendChanged[K comparable, V any](out []ofnet.Key, kind ofnet.Kind, before, after *table.Table[K, V]) []ofnet.Key {
	for c := range table.Changes(before, after) {
		out = append(out, ofnet.Key{Kind: kind, Name: fmt.Sprint(c.Key)})
	}
	return out
}

// The engine returns netmasters with their leader first, and hosts with their addresses.
func TestMastersAndMachines(t *testing.T) {
	one := record.Service{ServiceName: record.ServiceMaster, HostAddr: "192.0.2.1", Port: 9999, Role: "follower", Store: "http://192.0.2.1:2379"}
	two := record.Service{ServiceName: record.ServiceMaster, HostAddr: "192.0.2.2", Port: 9999, Role: record.RoleLeader}
	w := start(t, one, two, machine("h2", "192.0.2.2"), machine("h1", "192.0.2.1"))
	if got := w.e.Masters(); len(got) != 2 || got[0] != two || got[1] != one {
		t.Errorf("netmasters: want the leader first, got %+v", got)
	}
	if got := w.e.Machines(); len(got) != 2 || !got[0].Equal(new(machine("h1", "192.0.2.1"))) {
		t.Errorf("hosts: want both, got %+v", got)
	}
	surroundings := w.e.Surroundings()
	w.del(two)
	w.await(surroundings, "the surroundings to change with the netmasters")
	if got := w.e.Masters(); len(got) != 1 || got[0] != one {
		t.Errorf("one netmaster less: got %+v", got)
	}
}

// await waits until a channel is closed.
func (w *world) await(closed <-chan struct{}, what string) {
	w.tb.Helper()
	select {
	case <-closed:
	case <-w.ctx.Done():
		w.tb.Fatalf("want %s", what)
	}
}

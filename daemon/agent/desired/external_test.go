// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ipam"
	"github.com/contiv/contiv/ofnet"
)

// Addresses for clients outside are taken by every host, or by those that have a backend.
func TestExternal(t *testing.T) {
	blue, front := network("net", "blue", 100), network("front", "blue", 101)
	front.Gateway = netip.Addr{}
	front.Subnet, front.Subnet6 = netip.MustParsePrefix("192.0.2.0/28"), netip.MustParsePrefix("2001:db8::/64")
	node := record.KubernetesNode{Name: "n1", Addresses: addrs("192.0.2.1")}
	here := machine("h1", "192.0.2.1")
	web := kubeService("shop", "web", "10.96.0.9")
	// of which two were given by Contiv
	web.ExternalIPs, web.LoadBalancerIPs = addrs("198.51.100.9"), addrs("192.0.2.8", "198.51.100.8", "2001:db8::8")
	local := web
	local.ExternalLocal = true
	backend := slice(web, "web-1", "10.1.0.2")
	draining, unready, elsewhere := slice(web, "web-1", "10.1.0.2"), slice(web, "web-1", "10.1.0.2"), slice(web, "web-1", "10.1.0.2")
	draining.Endpoints[0].State, unready.Endpoints[0].State, elsewhere.Endpoints[0].Node = record.EndpointDraining, record.EndpointNotReady, "n2"
	all := addrs("192.0.2.8", "2001:db8::8")
	for _, test := range []struct {
		name   string
		tenant string
		has    []any
		want   int
	}{
		{"any host", "blue", []any{web}, len(all)},
		{"another tenant", "default", []any{web}, 0},
		{"one that keeps them, without a backend", "blue", []any{local}, 0},
		{"one that keeps them, with a backend here", "blue", []any{local, backend}, len(all)},
		{"a draining one", "blue", []any{local, draining}, len(all)},
		{"one that is not ready", "blue", []any{local, unready}, 0},
		{"one elsewhere", "blue", []any{local, elsewhere}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := start(t, append([]any{tenant("blue", 1), blue, front, node, here, record.Namespace{Name: "shop", Place: record.Place{Tenant: "blue"}}, member(blue, "b1", "h1", 1)}, test.has...)...)
			w.reach("the service", func(s *ofnet.State) bool { return s.Services.Get("shop/web") != nil })
			if got := w.e.External(test.tenant); len(got) != test.want || test.want > 0 && !slices.Equal(got, all) {
				t.Errorf("got %v", got)
			}
		})
	}
}

// A router announces a tenant's endpoints of this host, both families, and all of the tenant's services; and its record is that of its host.
func TestAnnounced(t *testing.T) {
	blue, red := network("net", "blue", 100), network("net", "red", 101)
	both := member(blue, "b1", "h1", 1)
	both.IP6 = netip.MustParseAddr("fd01::1")
	routers := []record.BGP{{Hostname: "h1", RouterIP: "192.0.2.1/24", AS: "65001"}, {Hostname: "h2", RouterIP: "192.0.2.2/24", AS: "65002"}}
	w := start(t, tenant("blue", 1), tenant("red", 2), blue, red, both, member(blue, "b2", "h2", 2), member(red, "r1", "h1", 3), shop(nil), routers[0], routers[1])
	got := w.e.Announced("blue")
	slices.SortFunc(got, netip.Addr.Compare)
	if want := addrs("10.1.1.1", "10.1.1.100", "fd01::1"); !slices.Equal(got, want) {
		t.Errorf("want %v, got %v", want, got)
	}
	if got := w.e.Announced("red"); !slices.Equal(got, addrs("10.1.1.3")) {
		t.Errorf("of another tenant: got %v", got)
	}
	for _, r := range routers {
		if got := w.e.BGP(r.Hostname); got == nil || got.AS != r.AS {
			t.Errorf("%s: want AS %s, got %+v", r.Hostname, r.AS, got)
		}
	}
	changed := w.e.Changed()
	w.del(routers[0])
	w.await(changed, "a router goes")
	if got := w.e.BGP("h1"); got != nil {
		t.Errorf("without a record: got %+v", got)
	}
}

// What someone else has is not lent: containers' addresses, the API server's port, and ports of the control plane at addresses of hosts. It
// is checked again when that changes.
func TestLends(t *testing.T) {
	blue := network("net", "blue", 100)
	web := kubeService("shop", "web", "10.96.0.9")
	web.Ports = []record.ServicePort{{Protocol: 6, Port: 81}}
	web.ExternalIPs = addrs("192.0.2.1")
	api := kubeService("default", "kubernetes", "10.96.0.1")
	apiAt := slice(api, "kubernetes", "192.0.2.200")
	apiAt.Ports = []record.SlicePort{{Protocol: 6, Port: 7443}}
	w := start(t, tenant("blue", 1), blue, machine("h1", "192.0.2.1"), record.Namespace{Name: "shop", Place: record.Place{Tenant: "blue"}}, member(blue, "b1", "h1", 1), web, api, apiAt)
	borrows := func(what string, ports ...uint16) {
		t.Helper()
		w.reach(what, func(s *ofnet.State) bool {
			v := s.Services.Get("shop/web")
			return v != nil && v.Ports[0].Port == web.Ports[0].Port && len(v.External) == len(ports) && len(v.Borrowed) == len(ports)
		})
	}
	const lent = 1
	borrows("port 81 of a host", lent)
	for _, row := range []struct {
		name, address string
		port          uint16
		lent          bool
	}{
		{"the API server by a host", "192.0.2.1", 6443, false}, {"an agent", "192.0.2.1", 9090, false}, {"the kubelet", "192.0.2.1", 10250, false}, {"a host's port 81", "192.0.2.1", 81, true},
		{"the API server's own", "192.0.2.200", 7443, false}, {"beside the API server", "192.0.2.200", 82, true}, {"a loopback address", "127.0.0.1", 83, false},
		{"of a container's network", "10.1.1.77", 9998, false}, {"elsewhere", "203.0.113.5", 9999, true},
	} {
		web.ExternalIPs, web.Ports[0].Port = addrs(row.address), row.port
		w.put(web)
		if row.lent {
			borrows(row.name, lent)
		} else {
			borrows(row.name)
		}
	}
	late := network("late", "blue", 102)
	late.Gateway = netip.Addr{}
	late.Subnet = netip.MustParsePrefix("203.0.113.0/24")
	w.put(late)
	borrows("once containers have it")
}

// The addresses that hosts report count until another owner has them, and again afterwards.
func TestReported(t *testing.T) {
	own := func(host, ip string, prefixes ...string) record.Host {
		m := machine(host, ip)
		for _, p := range prefixes {
			m.Own = append(m.Own, netip.MustParsePrefix(p))
		}
		return m
	}
	blue := network("net", "blue", 100)
	w := start(t, tenant("blue", 1), blue, member(blue, "b1", "h1", 1), own("h1", "192.0.2.1", "192.0.2.1/24", "203.0.113.1/24"), own("h2", "192.0.2.2", "192.0.2.22/24", "203.0.113.2/24", "198.51.100.2/24"))
	is := func(what string, want ...string) {
		t.Helper()
		if got := w.e.Reported(); !slices.Equal(got, addrs(want...)) {
			t.Errorf("%s: want %v, got %v", what, want, got)
		}
	}
	is("at first", "192.0.2.22", "203.0.113.1", "203.0.113.2")
	late := network("late", "blue", 102)
	late.Gateway = netip.Addr{}
	late.Subnet, late.Addresses = netip.MustParsePrefix("203.0.113.0/24"), ipam.RangeOf(netip.MustParsePrefix("203.0.113.0/24"))
	for _, step := range []struct {
		what string
		do   func(any) uint64
		with any
		want []string
	}{
		{"once containers have some", w.put, late, []string{"192.0.2.22"}},
		{"once a service has one", w.put, kubeService("shop", "web", "192.0.2.22"), nil},
		{"without that service", w.del, kubeService("shop", "web", "192.0.2.22"), []string{"192.0.2.22"}},
		{"without these containers", w.del, late, []string{"192.0.2.22", "203.0.113.1", "203.0.113.2"}},
		{"of a host that is no longer here", w.put, own("h2", "192.0.2.2"), nil},
	} {
		moved := w.e.Surroundings()
		step.do(step.with)
		w.await(moved, step.what)
		is(step.what, step.want...)
	}
}

// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

// cluster returns a zone with services in the default tenant, and one in another tenant.
func cluster() *recorded {
	c := newZone("contiv", "Cluster.Local.")
	put := func(namespace, name string, change func(*record.KubernetesService)) {
		v := &record.KubernetesService{ID: identity.KubernetesService{Namespace: namespace, Name: name}, Type: record.ServiceClusterIP, Selector: true}
		change(v)
		c.KubernetesService(v.ID.String(), v)
	}
	put("default", "kubernetes", func(v *record.KubernetesService) {
		v.ClusterIPs, v.Ports = []netip.Addr{addr("10.96.0.1")}, []record.ServicePort{{Name: "https", Protocol: 6, Port: 443}}
	})
	put("shop", "web", func(v *record.KubernetesService) {
		v.ClusterIPs = []netip.Addr{addr("10.96.0.9"), addr("fd96::9")}
		v.Ports = []record.ServicePort{{Name: "http", Protocol: 6, Port: 80}, {Name: "dns", Protocol: 17, Port: 53}}
	})
	put("shop", "db", func(v *record.KubernetesService) { v.Headless = true })
	c.Slice("shop:db-1", &record.EndpointSlice{ID: identity.EndpointSlice{Namespace: "shop", Name: "db-1"}, Service: "db", Ports: []record.SlicePort{{Name: "sql", Protocol: 6, Port: 5432}}, Endpoints: []record.SliceEndpoint{
		{Address: addr("10.1.0.2")}, {Address: addr("10.1.0.1"), Hostname: "db-0"}, {Address: addr("10.1.0.3"), State: record.EndpointNotReady}}})
	c.Slice("shop:db-2", &record.EndpointSlice{ID: identity.EndpointSlice{Namespace: "shop", Name: "db-2"}, Service: "db", Endpoints: []record.SliceEndpoint{{Address: addr("fd01::1"), Hostname: "db-0"}}})
	put("shop", "out", func(v *record.KubernetesService) {
		v.Type, v.ExternalName = record.ServiceExternalName, "www.example.com"
	})
	put("far", "web", func(v *record.KubernetesService) { v.ClusterIPs = []netip.Addr{addr("10.96.0.77")} })
	c.Namespace("far", &record.Namespace{Name: "far", Place: record.Place{Tenant: "blue"}})
	return c
}

// said returns the answer to a client of a tenant.
func said(tb testing.TB, c *recorded, tenant, name, qtype string) string {
	tb.Helper()
	q := new(dns.Msg)
	q.SetQuestion(dns.Fqdn(name), dns.StringToType[qtype])
	a := new(dns.Msg)
	a.SetReply(q)
	if !c.view().kubernetes().Answer(tenant, strings.ToLower(name), a) {
		return "not ours"
	}
	if a.Rcode != dns.RcodeSuccess {
		return dns.RcodeToString[a.Rcode]
	}
	var out []string
	for _, rr := range a.Answer {
		out = append(out, strings.Join(strings.Fields(rr.String())[3:], " "))
	}
	slices.Sort(out)
	for _, rr := range a.Extra {
		out = append(out, "+"+strings.Join(strings.Fields(rr.String())[4:], " "))
	}
	return strings.Join(out, ", ")
}

func TestAnswer(t *testing.T) {
	c := cluster()
	for _, row := range []struct{ tenant, name, qtype, want string }{
		{"default", "web.shop.svc.cluster.local", "A", "A 10.96.0.9"},
		{"default", "Web.Shop.svc.Cluster.local", "AAAA", "AAAA fd96::9"},
		{"default", "web.shop.svc.cluster.local", "MX", ""},
		{"default", "_http._tcp.web.shop.svc.cluster.local", "SRV", "SRV 0 100 80 web.shop.svc.cluster.local., +10.96.0.9, +fd96::9"},
		{"default", "_http._udp.web.shop.svc.cluster.local", "SRV", "NXDOMAIN"},
		{"default", "_http._tcp.web.shop.svc.cluster.local", "A", ""},
		{"default", "_tcp.web.shop.svc.cluster.local", "A", ""},
		{"default", "db.shop.svc.cluster.local", "A", "A 10.1.0.1, A 10.1.0.2"},
		{"default", "db.shop.svc.cluster.local", "AAAA", "AAAA fd01::1"},
		{"default", "db-0.db.shop.svc.cluster.local", "A", "A 10.1.0.1"},
		{"default", "db-0.db.shop.svc.cluster.local", "AAAA", "AAAA fd01::1"},
		{"default", "10-1-0-2.db.shop.svc.cluster.local", "A", "A 10.1.0.2"},
		{"default", "db-3.db.shop.svc.cluster.local", "A", "NXDOMAIN"},
		{"default", "_sql._tcp.db.shop.svc.cluster.local", "SRV",
			"SRV 0 100 5432 10-1-0-2.db.shop.svc.cluster.local., SRV 0 100 5432 db-0.db.shop.svc.cluster.local., +10.1.0.1, +10.1.0.2"},
		{"default", "out.shop.svc.cluster.local", "A", "CNAME www.example.com."},
		{"default", "10-1-0-7.shop.pod.cluster.local", "A", "A 10.1.0.7"},
		{"default", "fd01--7.shop.pod.cluster.local", "AAAA", "AAAA fd01::7"},
		{"default", "10-1-0-7.nowhere.pod.cluster.local", "A", "NXDOMAIN"},
		{"default", "me.shop.pod.cluster.local", "A", "NXDOMAIN"},
		{"default", "dns-version.cluster.local", "TXT", `TXT "1.1.0"`},
		{"default", "shop.svc.cluster.local", "A", ""},
		{"default", "nowhere.svc.cluster.local", "A", "NXDOMAIN"},
		{"default", "web.cluster.local", "A", "NXDOMAIN"},
		{"default", "cluster.local", "A", ""},
		{"default", "web.shop.svc", "A", "not ours"},
		{"default", "notcluster.local", "A", "not ours"},
		{"default", "web.far.svc.cluster.local", "A", "NXDOMAIN"},
		{"blue", "web.far.svc.cluster.local", "A", "A 10.96.0.77"},
		{"blue", "web.shop.svc.cluster.local", "A", "NXDOMAIN"},
		{"blue", "kubernetes.default.svc.cluster.local", "A", "A 10.96.0.1"},
	} {
		if got := said(t, c, row.tenant, row.name, row.qtype); got != row.want {
			t.Errorf("%s of %s asked by %s: want %q, got %q", row.qtype, row.name, row.tenant, row.want, got)
		}
	}
}

func TestOwner(t *testing.T) {
	c := cluster()
	for _, row := range []struct{ tenant, address, want string }{
		{"default", "10.96.0.9", "web.shop.svc.cluster.local."},
		{"default", "fd96::9", "web.shop.svc.cluster.local."},
		{"default", "10.1.0.1", "db-0.db.shop.svc.cluster.local."},
		{"default", "10.96.0.77", ""},
		{"blue", "10.96.0.77", "web.far.svc.cluster.local."},
		{"default", "10.9.9.9", ""},
	} {
		if got := c.view().kubernetes().Owner(row.tenant, addr(row.address)); got != row.want {
			t.Errorf("%s asked by %s: want %q, got %q", row.address, row.tenant, row.want, got)
		}
	}
}

// A removed object leaves no name behind, and without services no name belongs to the cluster.
func TestNamesGo(t *testing.T) {
	c := cluster()
	for id := range c.snapshot().Kubernetes.Services.All() {
		c.KubernetesService(id, nil)
	}
	c.Slice("shop:db-1", nil)
	c.Slice("shop:db-2", nil)
	c.Slice("shop:db-2", nil)
	c.Namespace("far", nil)
	if c.view().kubernetes().exists("shop") {
		t.Error("without services: want the namespace gone, it is there")
	}
	if got := said(t, c, "default", "web.shop.svc.cluster.local", "A"); got != "not ours" {
		t.Errorf("without Kubernetes: want the name not ours, got %q", got)
	}
}

// FuzzAnswer sends any question.
func FuzzAnswer(f *testing.F) {
	for _, name := range []string{"web.shop.svc.cluster.local", "_sql._tcp.db.shop.svc.cluster.local", "1-2-3-4.shop.pod.cluster.local", "cluster.local", ".cluster.local"} {
		f.Add(name, uint16(255))
	}
	c := cluster()
	f.Fuzz(func(t *testing.T, name string, qtype uint16) {
		a := new(dns.Msg)
		a.SetReply(&dns.Msg{Question: []dns.Question{{Name: dns.Fqdn(name), Qtype: qtype, Qclass: dns.ClassINET}}})
		if c.view().kubernetes().Answer("default", name, a) && dns.IsFqdn(name) {
			t.Errorf("%q: a name with a dot at its end is no one's", name)
		}
	})
}

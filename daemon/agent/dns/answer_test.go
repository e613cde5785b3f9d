// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// member is the record of a container in network n of a tenant, with its addresses.
func member(tenant, container, name, group string, addrs ...string) *record.Endpoint {
	e := &record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: tenant, Name: "n"}, Endpoint: container}, CommonName: name}
	if group != "" {
		e.Group = identity.Group{Tenant: tenant, Name: group}
	}
	for _, text := range addrs {
		if a := netip.MustParseAddr(text); a.Is4() {
			e.IP = a
		} else {
			e.IP6 = a
		}
	}
	return e
}

// testZone has tenants blue (VRF 1) and green (2); blue has a service, a group of two and a container apart.
func testZone() *recorded {
	z := newZone("Contiv.", "cluster.local")
	z.Tenant("blue", &record.Tenant{Tenant: "blue", VRF: 1})
	z.Tenant("green", &record.Tenant{Tenant: "green", VRF: 2})
	for _, e := range []*record.Endpoint{
		member("blue", "c1", "Web-1", "web", "10.1.0.1", "fd01::1"),
		member("blue", "c2", "web-2", "web", "10.1.0.2"),
		member("blue", "c3", "", "", "10.1.0.3"),
		member("green", "c1", "web-1", "", "10.1.0.1"),
	} {
		z.Endpoint(e.ID.String(), e)
	}
	z.Service("blue:db", &record.ServiceLB{ID: identity.Service{Tenant: "blue", Name: "db"}, IP: netip.MustParseAddr("10.1.0.99"),
		Ports: []string{"80:8080:TCP", "53:53:UDP", "nonsense"}})
	return z
}

// Names of Kubernetes are answered beside a tenant's own, forth and back.
func TestKubernetesNames(t *testing.T) {
	z := testZone()
	z.Tenant("default", &record.Tenant{Tenant: "default", VRF: 3})
	web := &record.KubernetesService{ID: identity.KubernetesService{Namespace: "shop", Name: "web"}, Type: record.ServiceClusterIP, ClusterIPs: []netip.Addr{netip.MustParseAddr("10.96.0.9")}}
	z.KubernetesService(web.ID.String(), web)
	z.Slice("shop:web-1", &record.EndpointSlice{ID: identity.EndpointSlice{Namespace: "shop", Name: "web-1"}, Service: "web"})
	for _, row := range []struct {
		vrf               uint16
		name, qtype, want string
	}{
		{3, "web.shop.svc.cluster.local", "A", "A 10.96.0.9"},
		{3, "9.0.96.10.in-addr.arpa", "PTR", "PTR web.shop.svc.cluster.local."},
		{3, "web.shop.svc.cluster.local", "AAAA", "nothing"},
		{3, "no.shop.svc.cluster.local", "A", "NXDOMAIN"},
		{1, "web.shop.svc.cluster.local", "A", "NXDOMAIN"},
		{1, "web-1", "A", "A 10.1.0.1"},
		{9, "web.shop.svc.cluster.local", "A", "not ours"},
	} {
		if got := ask(t, z, row.vrf, row.name, row.qtype); got != row.want {
			t.Errorf("%s of %s: want %q, got %q", row.qtype, row.name, row.want, got)
		}
	}
	z.Namespace("shop", &record.Namespace{Name: "shop", Place: record.Place{Tenant: "blue"}})
	if got := ask(t, z, 1, "web.shop.svc.cluster.local", "A"); got != "A 10.96.0.9" {
		t.Errorf("in the namespace's tenant: want it, got %q", got)
	}
	z.KubernetesService(web.ID.String(), nil)
	if got := ask(t, z, 3, "web.shop.svc.cluster.local", "A"); got != "not ours" {
		t.Errorf("without Kubernetes: want it not ours, got %q", got)
	}
}

func ask(tb testing.TB, z *recorded, vrf uint16, name, qtype string) string {
	tb.Helper()
	q := new(dns.Msg)
	q.SetQuestion(dns.Fqdn(name), dns.StringToType[qtype])
	answer, v := z.Answer(vrf, q)
	if v != Answered {
		return "not ours"
	}
	reply, err := fit(answer, datagramSize(q))
	if err != nil {
		tb.Fatal(err)
	}
	a := new(dns.Msg)
	if err := a.Unpack(reply); err != nil || a.Id != q.Id || !a.Response || !a.Authoritative || a.Question[0] != q.Question[0] {
		tb.Fatalf("%s %s: a bad reply %v, %v", name, qtype, a, err)
	}
	var out []string
	for _, rr := range slices.Concat(a.Answer, a.Extra) {
		out = append(out, strings.Join(strings.Fields(rr.String())[3:], " "))
	}
	slices.Sort(out)
	if a.Rcode != dns.RcodeSuccess {
		out = append(out, dns.RcodeToString[a.Rcode])
	}
	if len(out) == 0 && len(a.Ns) == 1 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

// DNS-01: in small, names of services, groups and containers, each in its tenant.
func TestZone_Answer(t *testing.T) {
	z := testZone()
	for i, name := range []string{"kubernetes.default.svc.cluster.local", "web.v2"} {
		e := member("blue", fmt.Sprint("dots", i), name, "", fmt.Sprint("10.1.0.", 80+i))
		z.Endpoint(e.ID.String(), e)
	}
	for _, row := range []struct {
		vrf         uint16
		name, qtype string
		want        string
	}{
		{1, "web", "A", "A 10.1.0.1, A 10.1.0.2"},
		{1, "WEB.contiv", "A", "A 10.1.0.1, A 10.1.0.2"},
		{1, "web.blue.contiv", "A", "A 10.1.0.1, A 10.1.0.2"},
		{1, "web.green.contiv", "A", "NXDOMAIN"},
		{1, "web", "AAAA", "AAAA fd01::1"},
		{1, "web", "ANY", "A 10.1.0.1, A 10.1.0.2, AAAA fd01::1"},
		{1, "web", "MX", "nothing"},
		{1, "web-2", "AAAA", "nothing"},
		{1, "web-1", "A", "A 10.1.0.1"},
		{1, "c3", "A", "A 10.1.0.3"},
		{1, "kubernetes.default.svc.cluster.local", "A", "not ours"},
		{1, "_443._tcp.kubernetes.default.svc.cluster.local", "SRV", "not ours"},
		{1, "kubernetes.default.svc.cluster.local.contiv", "A", "A 10.1.0.80"},
		{1, "web.v2", "A", "not ours"},
		{1, "web.v2.contiv", "A", "A 10.1.0.81"},
		{1, "web.v2.blue.contiv", "A", "A 10.1.0.81"},
		{1, "db", "A", "A 10.1.0.99"},
		{1, "db", "SRV", "A 10.1.0.99, SRV 0 0 53 db.contiv., SRV 0 0 80 db.contiv."},
		{1, "_80._tcp.db", "SRV", "A 10.1.0.99, SRV 0 0 80 db.contiv."},
		{1, "_80._udp.db.contiv", "SRV", "NXDOMAIN"},
		{1, "_80._tcp.db", "A", "nothing"},
		{1, "_80._tcp.web", "SRV", "NXDOMAIN"},
		{1, "web", "SRV", "nothing"},
		{1, "2.0.1.10.in-addr.arpa", "PTR", "PTR web-2.contiv."},
		{1, "99.0.1.10.in-addr.arpa", "PTR", "PTR db.contiv."},
		{1, "99.0.1.10.in-addr.arpa", "A", "nothing"},
		{1, "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.0.d.f.ip6.arpa", "PTR", "PTR web-1.contiv."},
		{1, "9.9.9.9.in-addr.arpa", "PTR", "not ours"},
		{1, "absent.contiv", "A", "NXDOMAIN"},
		{1, "absent", "A", "not ours"},
		{1, "example.com", "A", "not ours"},
		{1, ".", "NS", "not ours"},
		{2, "web", "A", "not ours"},
		{2, "web-1", "A", "A 10.1.0.1"},
		{2, "db.contiv", "A", "NXDOMAIN"},
		{3, "web", "A", "not ours"},
		{3, "web.contiv", "A", "not ours"},
	} {
		if got := ask(t, z, row.vrf, row.name, row.qtype); got != row.want {
			t.Errorf("tenant %d asks for %s of %s: want %s, got %s", row.vrf, row.qtype, row.name, row.want, got)
		}
	}
}

// A container answers to its aliases as long as it has them; its addresses are its name's.
func TestZone_Aliases(t *testing.T) {
	z := testZone()
	e := member("blue", "c9", "shop", "", "10.1.0.9")
	e.Aliases = []string{"API", "shop", "www.example.com"}
	z.Endpoint(e.ID.String(), e)
	other := member("blue", "c8", "shop-2", "", "10.1.0.8")
	other.Aliases = []string{"api"}
	z.Endpoint(other.ID.String(), other)
	check := func(name, qtype, want string) {
		t.Helper()
		if got := ask(t, z, 1, name, qtype); got != want {
			t.Errorf("%s of %s: want %s, got %s", qtype, name, want, got)
		}
	}
	check("api", "A", "A 10.1.0.8, A 10.1.0.9")
	check("shop", "A", "A 10.1.0.9")
	check("www.example.com", "A", "not ours")
	check("9.0.1.10.in-addr.arpa", "PTR", "PTR shop.contiv.")
	without := *other
	without.Aliases = nil
	z.Endpoint(other.ID.String(), &without)
	check("api", "A", "A 10.1.0.9")
	z.Endpoint(e.ID.String(), nil)
	check("api", "A", "not ours")
}

// A pod has no name of a single word, which it could take from a service that is not there, or not yet: neither its own nor another's.
func TestZone_Pods(t *testing.T) {
	z := testZone()
	for i, id := range []identity.Pod{{Namespace: "evil", Name: "vault"}, {Namespace: "shop", Name: "vault"}, {Namespace: "blue", Name: "wpad"}, {Namespace: "evil", Name: "kubernetes.default.svc.cluster.local"}} {
		e := member("blue", fmt.Sprint("pod", i), id.Name, "", fmt.Sprint("10.1.0.", 60+i))
		e.Pod.ID, e.Aliases = id, []string{"api"}
		z.Endpoint(e.ID.String(), e)
	}
	for _, row := range []struct{ name, qtype, want string }{
		{"vault", "A", "not ours"},
		{"vault.contiv", "A", "NXDOMAIN"},
		{"vault.blue.contiv", "A", "NXDOMAIN"},
		{"api", "A", "not ours"},
		{"vault.evil", "A", "not ours"},
		{"vault.evil.contiv", "A", "A 10.1.0.60"},
		{"vault.shop.contiv", "A", "A 10.1.0.61"},
		{"vault.shop.blue.contiv", "A", "A 10.1.0.61"},
		{"wpad.blue.contiv", "A", "A 10.1.0.62"},
		{"wpad", "A", "not ours"},
		{"kubernetes.default.svc.cluster.local", "A", "not ours"},
		{"60.0.1.10.in-addr.arpa", "PTR", "PTR vault.evil.contiv."},
	} {
		if got := ask(t, z, 1, row.name, row.qtype); got != row.want {
			t.Errorf("%s of %s: want %s, got %s", row.qtype, row.name, row.want, got)
		}
	}
}

func TestZone_Changes(t *testing.T) {
	z := testZone()
	z.Endpoint("blue:n:c1", nil)
	z.Endpoint("blue:n:c2", member("blue", "c2", "moved", "web", "10.1.0.7"))
	z.Service("blue:db", &record.ServiceLB{ID: identity.Service{Tenant: "blue", Name: "db"}, IP: netip.MustParseAddr("10.1.0.98")})
	for _, row := range [][3]string{
		{"web", "A", "A 10.1.0.7"}, {"web-1", "A", "not ours"}, {"web-2", "A", "not ours"}, {"moved", "A", "A 10.1.0.7"},
		{"2.0.1.10.in-addr.arpa", "PTR", "not ours"}, {"7.0.1.10.in-addr.arpa", "PTR", "PTR moved.contiv."},
		{"99.0.1.10.in-addr.arpa", "PTR", "not ours"}, {"db", "A", "A 10.1.0.98"}, {"db", "SRV", "nothing"},
	} {
		if got := ask(t, z, 1, row[0], row[1]); got != row[2] {
			t.Errorf("%s of %s: want %s, got %s", row[1], row[0], row[2], got)
		}
	}
	for _, id := range []string{"blue:n:c2", "blue:n:c3", "green:n:c1", "blue:n:c1"} {
		z.Endpoint(id, nil)
	}
	z.Service("blue:db", nil)
	z.Tenant("blue", nil)
	if left := z.List(); len(left) != 0 {
		t.Errorf("something is left: %+v", left)
	}
}

// A large group takes turns, and an answer is never too long for who asks.
func TestZone_LargeGroup(t *testing.T) {
	z := newZone("contiv", "")
	z.Tenant("blue", &record.Tenant{Tenant: "blue", VRF: 1})
	const members = 100
	for i := range members {
		z.Endpoint(fmt.Sprint(i), member("blue", fmt.Sprint("c", i), "", "all", fmt.Sprintf("fd01::%x", i)))
	}
	seen := map[string]bool{}
	for id := range uint16(members) {
		q := new(dns.Msg)
		q.SetQuestion("all.", dns.TypeAAAA)
		q.Id = id
		answer, v := z.Answer(1, q)
		if v != Answered {
			t.Fatalf("question %d: want it answered", id)
		}
		reply, err := fit(answer, datagramSize(q))
		if err != nil {
			t.Fatal(err)
		}
		a := new(dns.Msg)
		if err := a.Unpack(reply); err != nil || len(reply) > plainSize || len(a.Answer) < 10 || a.Truncated {
			t.Fatalf("question %d: %d addresses in %d bytes, truncated %v, %v", id, len(a.Answer), len(reply), a.Truncated, err)
		}
		for _, rr := range a.Answer {
			seen[rr.(*dns.AAAA).AAAA.String()] = true
		}
	}
	if len(seen) != members {
		t.Errorf("want all %d members in turn, got %d", members, len(seen))
	}
}

func FuzzZone_Answer(f *testing.F) {
	z := testZone()
	for _, name := range []string{"web.", "_80._tcp.db.", "2.0.1.10.in-addr.arpa.", "."} {
		q := new(dns.Msg)
		q.SetQuestion(name, dns.TypeANY)
		q.SetEdns0(4096, true)
		b, err := q.Pack()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		q := new(dns.Msg)
		if q.Unpack(b) != nil {
			return
		}
		a, v := z.Answer(1, q)
		if (v == Answered) != (a != nil) {
			t.Fatalf("verdict %d with the answer %v", v, a)
		}
		if a == nil {
			return
		}
		reply, err := fit(a, datagramSize(q))
		if err != nil {
			return // to a question with a name that is not valid
		}
		if err := new(dns.Msg).Unpack(reply); err != nil || len(reply) > safeSize {
			t.Errorf("a reply of %d bytes: %v", len(reply), err)
		}
	})
}

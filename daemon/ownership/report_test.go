// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
)

func host(label, vtep string, own ...string) *record.Host {
	h := &record.Host{Label: label, Machine: label, VTEP: netip.MustParseAddr(vtep), Port: 4789, Control: netip.AddrPortFrom(netip.MustParseAddr(vtep), 9090)}
	for _, p := range own {
		h.Own = append(h.Own, netip.MustParsePrefix(p))
	}
	return h
}

// facts returns the facts of a cluster with a network whose pool is a part of its subnet, a service and a netmaster.
func facts(hosts ...*record.Host) *Facts {
	net := &record.Network{ID: identity.Network{Tenant: "blue", Name: "net"}, Subnet: netip.MustParsePrefix("192.0.2.0/24"), Gateway: netip.MustParseAddr("192.0.2.254"), Subnet6: netip.MustParsePrefix("fd01::/64")}
	if err := net.Addresses.UnmarshalText([]byte("192.0.2.100-192.0.2.150")); err != nil {
		panic(err)
	}
	return &Facts{Hosts: slices.Values(hosts), Networks: slices.Values([]*record.Network{net}), Private: []netip.Prefix{netip.MustParsePrefix("172.19.0.0/16")},
		Masters: slices.Values([]*record.Service{{HostAddr: "192.0.2.9", Port: 9999}}),
		Nodes:   slices.Values([]*record.KubernetesNode{{Name: "n2", Addresses: []netip.Addr{netip.MustParseAddr("198.51.100.2")}}}),
		Services: func(yield func(netip.Addr, string) bool) {
			yield(netip.MustParseAddr("192.0.2.33"), "service blue:web")
		}}
}

// A host's report closes the addresses of the host itself that are in subnets of other hosts. It closes no address that another object has,
// and none far from the cluster.
func TestReports(t *testing.T) {
	const all, near = "0.0.0.0/0", "192.0.2.1/24"
	for _, row := range []struct{ name, own, want string }{
		{"a second address", "192.0.2.22/24", ""},
		{"in a subnet of one address, where another host's subnet is", "192.0.2.22/32", ""},
		{"by which it is registered", "192.0.2.2/24", "-"},
		{"where a netmaster serves, on the same machine perhaps", "192.0.2.9/24", "-"},
		{"another host's", "192.0.2.1/24", "host h1"},
		{"a container's", "192.0.2.120/24", "network blue:net"},
		{"beside those of containers, in their subnet", "192.0.2.200/24", ""},
		{"the gateway of containers", "192.0.2.254/24", "network blue:net"},
		{"a container's in IPv6", "fd01::7/64", "network blue:net"},
		{"a service's", "192.0.2.33/24", "service blue:web"},
		{"of the private subnet", "172.19.0.1/16", "the private subnet of hosts and containers"},
		{"of the world", "203.0.113.77/24", "alone"},
		{"of the world, in a subnet of all addresses", "203.0.113.77/0", "alone"},
		{"elsewhere in IPv6", "2001:db8::1/64", "alone"},
		{"elsewhere, as Kubernetes reports too", "198.51.100.2/32", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			h2 := host("h2", "192.0.2.2", row.own)
			h2.KubernetesNode = "n2"
			list := slices.DeleteFunc(facts(host("h1", "192.0.2.1", near), h2, host("h3", "192.0.2.3", near, all)).Reports(), func(r Report) bool { return r.Host != "h2" })
			got := "-"
			if len(list) == 1 {
				if got = list[0].Whose; got == "" && list[0].Alone {
					got = "alone"
				}
				if list[0].Counts() != (got == "") {
					t.Errorf("want it to count only where nothing is against it, got %+v", list[0])
				}
			}
			if got != row.want {
				t.Errorf("want %q, got %q of %+v", row.want, got, list)
			}
		})
	}
}

// The reports of two hosts count together: the second report does not open an address that the first has closed.
func TestReports_Both(t *testing.T) {
	list := facts(host("h1", "192.0.2.1", "192.0.2.50/24"), host("h2", "192.0.2.2", "192.0.2.50/24")).Reports()
	if len(list) != 2 || !list[0].Counts() || !list[1].Counts() {
		t.Errorf("got %+v", list)
	}
}

func TestRefused(t *testing.T) {
	f := facts(host("h1", "192.0.2.1", "198.51.100.1/24"))
	f.Networks = slices.Values([]*record.Network{{ID: identity.Network{Tenant: "blue", Name: "net"}, Subnet: netip.MustParsePrefix("10.1.0.0/16"), Addresses: ipam.Range{}}})
	f.API = slices.Values([]*record.EndpointSlice{{Ports: []record.SlicePort{{Protocol: 6, Port: 7443}}, Endpoints: []record.SliceEndpoint{{Address: netip.MustParseAddr("198.51.100.9")}}}})
	f.Ends = func(yield func(netip.Addr, string) bool) { yield(netip.MustParseAddr("192.0.2.4"), "h4") }
	web := &record.KubernetesService{ID: identity.KubernetesService{Namespace: "shop", Name: "web"}, Ports: []record.ServicePort{{Protocol: 6, NodePort: 30081}}}
	other := &record.KubernetesService{ID: identity.KubernetesService{Namespace: "shop", Name: "other"}, Ports: []record.ServicePort{{Protocol: 6, NodePort: 30080}}}
	f.AtNodes = func(protocol uint8, port uint16) iter.Seq[*record.KubernetesService] {
		return slices.Values(slices.DeleteFunc([]*record.KubernetesService{web, other}, func(v *record.KubernetesService) bool {
			return v.Ports[0].Protocol != protocol || v.Ports[0].NodePort != port
		}))
	}
	for _, row := range []struct {
		address  string
		protocol uint8
		port     uint16
		want     string
	}{
		{"192.0.2.1", 6, 81, ""}, {"192.0.2.1", 6, 22, "host h1"}, {"192.0.2.1", 6, 9090, "host h1"}, {"192.0.2.1", 17, 4789, "host h1"}, {"192.0.2.1", 17, 53, ""},
		{"192.0.2.1", 6, 30080, "the node port of service shop/other"}, {"192.0.2.1", 17, 30080, ""}, {"203.0.113.5", 6, 30080, ""}, {"192.0.2.1", 6, 30081, ""},
		{"198.51.100.1", 6, 10250, "host h1"}, {"198.51.100.1", 6, 9999, "host h1"}, {"198.51.100.1", 6, 443, ""},
		{"192.0.2.9", 6, 9999, "a netmaster"}, {"192.0.2.4", 17, 4789, "host h4"}, {"198.51.100.2", 6, 6443, "node n2"},
		{"198.51.100.9", 6, 7443, "the API server's"}, {"198.51.100.9", 6, 443, ""}, {"203.0.113.5", 6, 22, ""},
		{"10.1.7.7", 6, 80, "network blue:net"}, {"172.19.255.254", 6, 80, "private subnet"}, {"127.0.0.1", 6, 80, "one machine"}, {"224.0.0.1", 6, 80, "one machine"}, {"fe80::1", 6, 80, "one machine"},
	} {
		why := f.Refused(web, netip.MustParseAddr(row.address), row.protocol, row.port)
		if (why == "") != (row.want == "") || !strings.Contains(why, row.want) {
			t.Errorf("%s, port %d: want %q, got %q", row.address, row.port, row.want, why)
		}
	}
}

// BenchmarkReports checks the addresses of 500 hosts in a cluster of 1,000 networks.
func BenchmarkReports(b *testing.B) {
	var hosts []*record.Host
	var networks []*record.Network
	for i := range 500 {
		hosts = append(hosts, host(fmt.Sprint("h", i), fmt.Sprintf("10.0.%d.%d", i/250, i%250+1), fmt.Sprintf("10.0.%d.%d/16", i/250, i%250+1), fmt.Sprintf("10.2.%d.%d/16", i/250, i%250+1), "172.17.0.1/16"))
	}
	for i := range 1000 {
		networks = append(networks, &record.Network{Subnet: netip.PrefixFrom(netip.AddrFrom4([4]byte{100, byte(i >> 8), byte(i), 0}), 24)})
	}
	f := facts(hosts...)
	f.Networks = slices.Values(networks)
	for b.Loop() {
		if list := f.Reports(); len(list) != 1000 {
			b.Fatal(len(list))
		}
	}
}

// A service is refused the addresses that Refused refuses, those that another object owns, and a port that another service had first.
func TestRefusals(t *testing.T) {
	f := facts(host("h1", "192.0.2.1"))
	f.Networks = slices.Values([]*record.Network{{ID: identity.Network{Tenant: "blue", Name: "net"}, Subnet: netip.MustParsePrefix("10.1.0.0/16")}})
	addr := netip.MustParseAddr
	named := func(name string, port uint16, external, status string) Borrower {
		v := &record.KubernetesService{ID: identity.KubernetesService{Namespace: "ns", Name: name}, Ports: []record.ServicePort{{Protocol: 6, Port: port}}, ClusterIPs: []netip.Addr{addr("10.96.0.1")}}
		for _, text := range strings.Fields(external) {
			v.ExternalIPs = append(v.ExternalIPs, addr(text))
		}
		for _, text := range strings.Fields(status) {
			v.LoadBalancerIPs = append(v.LoadBalancerIPs, addr(text))
		}
		return Borrower{v, "default", []*record.Network{{Subnet: netip.MustParsePrefix("198.51.100.0/24")}}}
	}
	other := named("c", 81, "192.0.2.1", "")
	other.Tenant = "shop"
	var got []string
	for _, r := range f.Refusals([]Borrower{named("b", 81, "192.0.2.1 10.96.0.1", "198.51.100.9"), named("a", 81, "192.0.2.1 203.0.113.5", ""), other, named("d", 22, "", "192.0.2.1"), named("e", 80, "10.1.7.7", "")}) {
		got = append(got, r.Service.Name+" "+r.String())
	}
	want := []string{"b 192.0.2.1, tcp/81: service ns/a has it, whose name comes first",
		"d 192.0.2.1, tcp/22: it is an address of host h1, where port 22 is kept for hosts themselves",
		"e 10.1.7.7, tcp/80: it is in the subnet of network blue:net"}
	if !slices.Equal(got, want) {
		t.Errorf("want\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
	if list := f.Refusals([]Borrower{named("e", 80, "192.0.2.33", "")}); len(list) != 1 || list[0].Why != "service blue:web owns it" {
		t.Errorf("what another service owns: got %+v", list)
	}
}

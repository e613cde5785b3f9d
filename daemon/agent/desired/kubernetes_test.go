// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

func kubeService(namespace, name, address string) record.KubernetesService {
	return record.KubernetesService{ID: identity.KubernetesService{Namespace: namespace, Name: name}, Type: record.ServiceClusterIP, Selector: true,
		ClusterIPs: addrs(address), Ports: []record.ServicePort{{Protocol: ofnet.ProtocolTCP, Port: 80}}}
}

func slice(of record.KubernetesService, name string, list ...string) record.EndpointSlice {
	s := record.EndpointSlice{ID: identity.EndpointSlice{Namespace: of.ID.Namespace, Name: name}, Service: of.ID.Name,
		Ports: []record.SlicePort{{Protocol: ofnet.ProtocolTCP, Port: 8080}}}
	for _, a := range list {
		s.Endpoints = append(s.Endpoints, record.SliceEndpoint{Address: netip.MustParseAddr(a), Node: "n1"})
	}
	return s
}

// TestKubernetesServicesInTheState: a service is there with the first member of its namespace's tenant, with the backends of all its
// slices; the service of Kubernetes itself is in every tenant.
func TestKubernetesServicesInTheState(t *testing.T) {
	blue := network("net", "blue", 100)
	web := kubeService("shop", "web", "10.96.0.9")
	api := kubeService("default", "kubernetes", "10.96.0.1")
	w := start(t, tenant("blue", 1), tenant("default", 2), blue, web, api, slice(web, "web-1", "10.1.0.2"), slice(api, "kubernetes", "192.0.2.1", "192.0.2.7"),
		record.KubernetesNode{Name: "n1", Addresses: addrs("192.0.2.1")})
	backends := func(name string, want ...string) func(*ofnet.State) bool {
		return func(s *ofnet.State) bool {
			v := s.Services.Get(name)
			return v != nil && slices.Equal(ofnettest.Backends(v), addrs(want...))
		}
	}
	w.reach("nothing: no tenant is here", func(s *ofnet.State) bool { return s.Services.Len() == 0 })
	w.put(member(blue, "b1", "h1", 1))
	w.reach("Kubernetes itself, in a tenant that is here", backends("default/kubernetes@blue", "192.0.2.1", "192.0.2.7"))
	w.reach("nothing else", func(s *ofnet.State) bool { return s.Services.Len() == 1 })
	w.put(record.Namespace{Name: "shop", Place: record.Place{Tenant: "blue"}})
	w.reach("the service of the tenant", backends("shop/web", "10.1.0.2"))
	w.put(slice(web, "web-2", "10.1.0.1"))
	w.reach("the backends of both slices", backends("shop/web", "10.1.0.1", "10.1.0.2"))
	if got := w.e.Services(); len(got) != 2 || got[1].Name != "shop/web" || got[1].Tenant != "blue" {
		t.Errorf("services: want both, got %+v", got)
	}
	w.del(slice(web, "web-1"))
	w.reach("those of one", backends("shop/web", "10.1.0.1"))
	w.put(machine("h1", "192.0.2.1"))
	w.reach("the node is this host", func(s *ofnet.State) bool {
		v := s.Services.Get("default/kubernetes@blue")
		return v != nil && v.Ports[0].Backends[0].Host == "h1" && v.Ports[0].Backends[1].Host == ""
	})
	w.put(record.Namespace{Name: "shop"})
	w.reach("gone with its namespace to another tenant", func(s *ofnet.State) bool { return s.Services.Get("shop/web") == nil })
	w.del(api)
	w.reach("gone", func(s *ofnet.State) bool { return s.Services.Len() == 0 })
}

// TestForeignServices: what another proxy carries out is no service of ours.
func TestForeignServices(t *testing.T) {
	r := newRecords("h1")
	r.kube.foreign = true
	blue := network("net", "default", 100)
	web := kubeService("shop", "web", "10.96.0.9")
	putAll(t, r, blue, tenant("default", 1), member(blue, "b1", "h1", 1), web)
	s := ofnet.NewState("h1")
	if r.translate(newRecords("h1"), s); s.Services.Len() != 0 || r.kube.services.Len() == 0 {
		t.Errorf("want none of %d, got %d", r.kube.services.Len(), s.Services.Len())
	}
}

func putAll(tb testing.TB, r *records, list ...any) {
	tb.Helper()
	for _, v := range list {
		text, err := json.Marshal(v)
		if err == nil {
			err = r.put(channel.Item{Key: key(v), Value: text})
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// thousand are the records of as many services of five backends each, on four hosts.
func thousand() (list []any) {
	n := network("net", "default", 100)
	list = append(list, tenant("default", 1), n)
	for i := range 1000 {
		v := kubeService("ns", fmt.Sprint("s", i), fmt.Sprintf("10.96.%d.%d", i/250, i%250+1))
		var at []string
		for j := range 5 {
			m := member(n, fmt.Sprint("p", i, "-", j), fmt.Sprint("h", (i+j)%4+1), 5*i+j+1)
			m.IP = netip.AddrFrom4([4]byte{10, 1, byte((5*i + j) >> 8), byte(5*i + j)})
			list = append(list, m)
			at = append(at, m.IP.String())
		}
		list = append(list, v, slice(v, v.ID.Name, at...))
	}
	return list
}

// BenchmarkKubernetesServices takes in 1,000 services of five backends each, all of it at once: until the State is there, and the flows
// of the services; and then a change of one slice.
func BenchmarkKubernetesServices(b *testing.B) {
	list, p := thousand(), pipeline.Default()
	r := newRecords("h1")
	putAll(b, r, list...)
	b.Run("from nothing", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s := ofnet.NewState("h1")
			s.Local = ofnet.Ports{Tunnel: 1000, Uplink: 1001, Host: 1002}
			s.Hosts.Set("h1", &ofnet.Host{Label: "h1", VTEP: netip.MustParseAddr("192.0.2.1")})
			r.translate(newRecords("h1"), s)
			n := 0
			for name := range s.Services.All() {
				set := p.Compile(s, ofnet.Key{Kind: ofnet.KindService, Name: name})
				n += len(set.Flows)
			}
			b.ReportMetric(float64(n), "flows")
		}
	})
	b.Run("a slice", func(b *testing.B) {
		s := ofnet.NewState("h1")
		s.Local = ofnet.Ports{Tunnel: 1000, Uplink: 1001, Host: 1002}
		r.translate(newRecords("h1"), s)
		owners := 0
		v := kubeService("ns", "s7", "10.96.0.8")
		for i := 0; b.Loop(); i++ {
			before, was := r.clone(), s.Clone()
			putAll(b, r, slice(v, v.ID.Name, fmt.Sprintf("10.1.0.%d", i%200+1)))
			r.translate(before, s)
			p.Affected(was, s, func(k ofnet.Key) {
				set := p.Compile(s, k)
				owners += len(set.Flows)
			})
		}
		if owners == 0 {
			b.Error("want the service compiled")
		}
	})
}

// FuzzKubernetesServices compiles whatever comes of the records of a service.
func FuzzKubernetesServices(f *testing.F) {
	v := kubeService("default", "web", "10.96.0.9")
	v.AffinitySeconds, v.InternalLocal, v.ExternalIPs = 60, true, addrs("192.0.2.9", "fd00::9")
	text, _ := json.Marshal(v)
	one, _ := json.Marshal(slice(v, "a", "10.1.0.1", "10.1.0.2", "192.0.2.1"))
	two, _ := json.Marshal(slice(v, "b", "fd00::1"))
	node, _ := json.Marshal(record.KubernetesNode{Name: "n1", Addresses: addrs("192.0.2.1"), Zone: "z"})
	f.Add(text, one, two, node)
	f.Fuzz(func(t *testing.T, service, one, two, node []byte) {
		r := newRecords("h1")
		_ = r.put(channel.Item{Key: record.KubernetesServices + "default:web", Value: service})
		_ = r.put(channel.Item{Key: record.EndpointSlices + "default:a", Value: one})
		_ = r.put(channel.Item{Key: record.EndpointSlices + "default:b", Value: two})
		_ = r.put(channel.Item{Key: record.KubernetesNodes + "n1", Value: node})
		r.endpoints.Set("e", &record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: defaultTenant}}, Host: "h1"})
		s := ofnet.NewState("h1")
		s.Local = ofnet.Ports{Tunnel: 1000, Uplink: 1001, Host: 1002}
		s.Tenants.Set(defaultTenant, &ofnet.Tenant{Name: defaultTenant, ID: 1})
		s.Hosts.Set("h1", &ofnet.Host{Label: "h1"})
		for k := range affected(newRecords("h1"), r) {
			v := r.wantService(k.Name)
			if k.Kind != ofnet.KindService || v == nil {
				continue
			}
			s.SetService(v)
			set := pipeline.Default().Compile(s, k)
			if err := set.Check(); err != nil {
				t.Errorf("flows of %+v: want what a switch takes, got %v", v, err)
			}
		}
	})
}

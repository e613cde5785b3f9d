// SPDX-License-Identifier: Apache-2.0

package kubeservice

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
)

func addrs(list ...string) (out []netip.Addr) {
	for _, a := range list {
		out = append(out, netip.MustParseAddr(a))
	}
	return out
}

func shop() *record.KubernetesService {
	return &record.KubernetesService{ID: identity.KubernetesService{Namespace: "ns", Name: "shop"}, Type: record.ServiceClusterIP,
		ClusterIPs: addrs("10.96.0.9", "fd96::9"), Ports: []record.ServicePort{{Name: "http", Protocol: 6, Port: 80, NodePort: 30080}, {Name: "dns", Protocol: 17, Port: 53}}}
}

// slice parses backends: ADDRESS[!draining|!notready][@NODE][>ZONE][>>NODE].
func slice(ports []record.SlicePort, list ...string) *record.EndpointSlice {
	s := &record.EndpointSlice{Service: "shop", Ports: ports}
	for _, text := range list {
		var e record.SliceEndpoint
		if rest, node, ok := strings.Cut(text, ">>"); ok {
			text, e.ForNodes = rest, []string{node}
		}
		if rest, zone, ok := strings.Cut(text, ">"); ok {
			text, e.ForZones = rest, []string{zone}
		}
		text, e.Node, _ = strings.Cut(text, "@")
		text, state, _ := strings.Cut(text, "!")
		e.Address, e.State = netip.MustParseAddr(text), record.EndpointState(state)
		s.Endpoints = append(s.Endpoints, e)
	}
	return s
}

// text formats backends: ADDRESS:TARGET[!][~][@HOST]; ! marks a draining and ~ a far one.
func text(list []ofnet.Backend) string {
	var out []string
	for _, b := range list {
		s := netip.AddrPortFrom(b.Addr, b.Target).String()
		if b.Draining {
			s += "!"
		}
		if b.Far {
			s += "~"
		}
		if b.Host != "" {
			s += "@" + b.Host
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestBackends(t *testing.T) {
	http := []record.SlicePort{{Name: "http", Protocol: 6, Port: 8080}}
	for _, row := range []struct {
		name   string
		slices []*record.EndpointSlice
		want   string // of the first port
	}{
		{"none", nil, ""},
		{"in order", []*record.EndpointSlice{slice(http, "10.1.0.2", "10.1.0.1")}, "10.1.0.1:8080 10.1.0.2:8080"},
		{"of several slices, with a target each", []*record.EndpointSlice{slice(http, "10.1.0.2"), slice([]record.SlicePort{{Name: "http", Protocol: 6, Port: 81}}, "10.1.0.1"),
			slice(http, "fd00::1")}, "10.1.0.1:81 10.1.0.2:8080 [fd00::1]:8080"},
		{"another port's", []*record.EndpointSlice{slice([]record.SlicePort{{Name: "dns", Protocol: 17, Port: 5353}}, "10.1.0.1")}, ""},
		{"another protocol's", []*record.EndpointSlice{slice([]record.SlicePort{{Name: "http", Protocol: 17, Port: 8080}}, "10.1.0.1")}, ""},
		{"one of those that are not ready", []*record.EndpointSlice{slice(http, "10.1.0.1!notready", "10.1.0.2!draining", "10.1.0.3")}, "10.1.0.2:8080! 10.1.0.3:8080"},
		{"one address with two ports", []*record.EndpointSlice{slice([]record.SlicePort{{Name: "http", Protocol: 6, Port: 9090}}, "10.1.0.1"), slice(http, "10.1.0.1")}, "10.1.0.1:8080 10.1.0.1:9090"},
		{"in two slices at once", []*record.EndpointSlice{slice(http, "10.1.0.1!draining"), slice(http, "10.1.0.1")}, "10.1.0.1:8080"},
		{"only of names", []*record.EndpointSlice{{Ports: http, Headless: true, Endpoints: slice(http, "10.1.0.1").Endpoints}}, ""},
		{"a host's own address", []*record.EndpointSlice{slice(http, "192.0.2.2@n2", "10.1.0.1@n2")}, "10.1.0.1:8080 192.0.2.2:8080@h2"},
		{"hints for zones", []*record.EndpointSlice{slice(http, "10.1.0.1>z1", "10.1.0.2>z2")}, "10.1.0.1:8080 10.1.0.2:8080~"},
		{"only hints for other zones", []*record.EndpointSlice{slice(http, "10.1.0.1>z3", "10.1.0.2>z2")}, "10.1.0.1:8080 10.1.0.2:8080"},
		{"one without hints", []*record.EndpointSlice{slice(http, "10.1.0.1>z1", "10.1.0.2")}, "10.1.0.1:8080 10.1.0.2:8080"},
		{"hints for nodes", []*record.EndpointSlice{slice(http, "10.1.0.1>z1>>n2", "10.1.0.2>z1>>n1")}, "10.1.0.1:8080~ 10.1.0.2:8080"},
		{"hints for other nodes, and for zones", []*record.EndpointSlice{slice(http, "10.1.0.1>z2>>n2", "10.1.0.2>z1>>n3")}, "10.1.0.1:8080~ 10.1.0.2:8080"},
		{"hints of one that is draining do not count", []*record.EndpointSlice{slice(http, "10.1.0.1!draining", "10.1.0.2>z1", "10.1.0.3>z2")}, "10.1.0.1:8080! 10.1.0.2:8080 10.1.0.3:8080~"},
	} {
		v := Translate(shop(), row.slices, "t", &Site{Node: "n1", Zone: "z1", HostOf: func(node string, a netip.Addr) string {
			if a == netip.MustParseAddr("192.0.2.2") && node == "n2" {
				return "h2"
			}
			return ""
		}})
		if got := text(v.Ports[0].Backends); got != row.want {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}

func TestTranslate(t *testing.T) {
	want := func(change func(*ofnet.Service)) *ofnet.Service {
		v := &ofnet.Service{Name: "ns/shop", Tenant: "t", Cluster: addrs("10.96.0.9", "fd96::9"), Ports: []ofnet.ServicePort{
			{Name: "http", Protocol: 6, Port: 80, NodePort: 30080, Backends: []ofnet.Backend{}}, {Name: "dns", Protocol: 17, Port: 53, Backends: []ofnet.Backend{}}}}
		if change != nil {
			change(v)
		}
		return v
	}
	for _, row := range []struct {
		name   string
		change func(*record.KubernetesService)
		want   *ofnet.Service
	}{
		{"a cluster's", nil, want(nil)},
		{"headless", func(v *record.KubernetesService) { v.Headless, v.ClusterIPs = true, nil }, nil},
		{"a name for another name", func(v *record.KubernetesService) { v.Type, v.ClusterIPs = record.ServiceExternalName, nil }, nil},
		{"without an address yet", func(v *record.KubernetesService) { v.ClusterIPs = nil }, nil},
		{"affinity", func(v *record.KubernetesService) { v.AffinitySeconds = 10800 },
			want(func(v *ofnet.Service) { v.Affinity = ofnet.Affinity{Client: true, Timeout: 3 * time.Hour} })},
		{"policies", func(v *record.KubernetesService) { v.InternalLocal, v.ExternalLocal = true, true },
			want(func(v *ofnet.Service) { v.ClusterLocal, v.ExternalLocal = true, true })},
		{"for outside", func(v *record.KubernetesService) {
			v.ExternalIPs, v.LoadBalancerIPs = addrs("192.0.2.9"), addrs("192.0.2.8", "192.0.2.9")
		}, want(func(v *ofnet.Service) { v.External = addrs("192.0.2.8", "192.0.2.9") })},
		{"for some outside", func(v *record.KubernetesService) {
			v.ExternalIPs, v.LoadBalancerIPs = addrs("192.0.2.9"), addrs("192.0.2.8", "10.96.0.9")
			v.SourceRanges = []netip.Prefix{netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("10.0.0.0/8")}
		}, want(func(v *ofnet.Service) {
			v.External, v.Borrowed, v.Guarded = addrs("192.0.2.8", "192.0.2.9"), addrs("192.0.2.9"), addrs("192.0.2.8")
			v.Sources = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("198.51.100.0/24")}
		})},
	} {
		v := shop()
		if row.change != nil {
			row.change(v)
		}
		if got := Translate(v, nil, "t", &Site{}); (got == nil) != (row.want == nil) || got != nil && !got.Equal(row.want) {
			t.Errorf("%s: want %+v, got %+v", row.name, row.want, got)
		}
	}
}

// The addresses that a Kubernetes service claims become its own, borrowed from another owner, or refused.
func TestTranslate_Claims(t *testing.T) {
	at := &Site{Owns: func(_ *record.KubernetesService, a netip.Addr) bool { return a == netip.MustParseAddr("10.5.0.2") },
		Lends: func(_ *record.KubernetesService, a netip.Addr, protocol uint8, port uint16) bool {
			return a != netip.MustParseAddr("10.1.0.2") && (a != netip.MustParseAddr("192.0.2.1") || port != 53)
		}}
	for _, row := range []struct {
		name              string
		external, status  []netip.Addr
		want, andBorrowed []netip.Addr
	}{
		{"given by Contiv", nil, addrs("10.5.0.2"), addrs("10.5.0.2"), nil},
		{"given by Contiv, and claimed besides", addrs("10.5.0.2"), addrs("10.5.0.2"), addrs("10.5.0.2"), nil},
		{"written by another controller", nil, addrs("198.51.100.7"), addrs("198.51.100.7"), addrs("198.51.100.7")},
		{"claimed", addrs("198.51.100.7"), nil, addrs("198.51.100.7"), addrs("198.51.100.7")},
		{"only one of Contiv's, claimed", addrs("10.5.0.2"), nil, addrs("10.5.0.2"), addrs("10.5.0.2")},
		{"a container's", addrs("10.1.0.2"), addrs("10.1.0.2"), nil, nil},
		{"of the address of a host one port is not to be had", addrs("192.0.2.1", "198.51.100.7"), nil, addrs("198.51.100.7"), addrs("198.51.100.7")},
	} {
		v := shop()
		v.ExternalIPs, v.LoadBalancerIPs = row.external, row.status
		if got := Translate(v, nil, "t", at); !slices.Equal(got.External, row.want) || !slices.Equal(got.Borrowed, row.andBorrowed) {
			t.Errorf("%s: got %v, borrowed %v", row.name, got.External, got.Borrowed)
		}
	}
}

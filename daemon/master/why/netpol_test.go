// SPDX-License-Identifier: Apache-2.0

package why_test

import (
	"net/netip"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/master/why"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
)

func labelled(value string) netpolicy.Selector {
	return netpolicy.NewSelector(netpolicy.Requirement{Key: "app", Operator: netpolicy.In, Values: []string{value}})
}

// The intent of pods and of Kubernetes services follows from network policies and from Contiv's rules.
func TestIntentOfPods(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254")
	web := m.Pod(t, "blue", "shop", "web", map[string]string{"app": "web"})
	m.Pod(t, "blue", "shop", "cl", map[string]string{"app": "cl"})
	m.Pod(t, "blue", "other", "cl", map[string]string{"app": "cl"})
	web.Pod.Ports = []record.NamedPort{{Name: "http", Protocol: 6, Port: 8080}}
	service := func(name string, ip string) *record.KubernetesService {
		return &record.KubernetesService{ID: identity.KubernetesService{Namespace: "shop", Name: name}, Type: record.ServiceClusterIP,
			ClusterIPs: []netip.Addr{netip.MustParseAddr(ip)}, Ports: []record.ServicePort{{Name: "http", Protocol: 6, Port: 80}}}
	}
	claims := service("ext", "10.96.0.99") // addresses that another service has as its own
	claims.ID.Namespace, claims.ExternalIPs = "aaa", []netip.Addr{netip.MustParseAddr("10.96.0.9"), netip.MustParseAddr("10.96.0.10"), netip.MustParseAddr("203.0.113.5")}
	claims.Ports = append(claims.Ports, record.ServicePort{Name: "other", Protocol: 6, Port: 81})
	m.Kubernetes(t, web, &record.Namespace{Name: "shop"}, &record.Namespace{Name: "other", Labels: map[string]string{"far": "yes"}},
		&netpolicy.Policy{ID: identity.NetworkPolicy{Namespace: "shop", Name: "web"}, Pods: labelled("web"), Ingress: netpolicy.Direction{Isolates: true,
			Rules: []netpolicy.Rule{{Number: 1, Peers: []netpolicy.Peer{{Own: true, Pods: labelled("cl")}}, Ports: []netpolicy.Port{{Protocol: 6, Name: "http"}}}}}},
		&netpolicy.ClusterPolicy{Name: "admin", Tier: netpolicy.TierAdmin, Namespaces: netpolicy.NewSelector(netpolicy.Requirement{Key: "far", Operator: netpolicy.Exists}),
			Egress: netpolicy.ClusterDirection{Rules: []netpolicy.ClusterRule{{Rule: netpolicy.Rule{Number: 3, Ports: []netpolicy.Port{{Protocol: 6, First: 22, Last: 22}}}, Action: netpolicy.Deny}}}},
		service("web", "10.96.0.9"), service("none", "10.96.0.10"), claims, &record.Namespace{Name: "aaa"},
		&record.EndpointSlice{ID: identity.EndpointSlice{Namespace: "shop", Name: "web-1"}, Service: "web", Ports: []record.SlicePort{{Name: "http", Protocol: 6, Port: 8080}},
			Endpoints: []record.SliceEndpoint{{Address: web.IP, Pod: web.Pod.ID}}})
	asker := why.New(m.Catalog, switches(nil), nil, history.Keep{})
	const passes = "allowed: no rule speaks of tcp 8080, so it passes; ingress rule 1 of networkpolicy shop/web lets it receive it"
	for _, row := range []struct {
		name, from, to string
		port           int
		want           string
	}{
		{"by a named port", "shop/cl", "shop/web", 8080, passes},
		{"another port", "shop/cl", "shop/web", 80, "denied: networkpolicy shop/web isolates shop/web, and no policy lets it receive tcp 80"},
		{"another namespace", "other/cl", "shop/web", 8080, "denied: networkpolicy shop/web isolates shop/web, and no policy lets it receive tcp 8080"},
		{"a policy of the cluster", "other/cl", "endpoint/shop/cl", 22, "denied: egress rule 3 of clusternetworkpolicy admin denies tcp 22"},
		{"no policy", "shop/web", "other/cl", 80, "allowed: no rule speaks of tcp 80, so it passes, and no network policy of Kubernetes speaks of it"},
		{"a service that has the name of a pod", "shop/cl", "service/shop/web", 80, "allowed: service shop/web leads it to its only backend, shop/web; no rule speaks of tcp 8080, so it passes; ingress rule 1 of networkpolicy shop/web lets it receive it"},
		{"a service by its address", "other/cl", "10.96.0.9", 80, "denied: service shop/web leads it to its only backend, shop/web; networkpolicy shop/web isolates shop/web, and no policy lets it receive tcp 8080"},
		{"a port that it does not have", "shop/cl", "10.96.0.9", 81, "denied: service shop/web has no port tcp 81"},
		{"an address that a service claims, at its port", "shop/cl", "203.0.113.5", 81, "denied: service aaa/ext has no backend that serves tcp 81"},
		{"a service without backends", "shop/cl", "shop/none", 80, "denied: service shop/none has no backend that serves tcp 80"},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, err := asker.Ask(t.Context(), model.WhyRequest{From: row.from, To: row.to, Protocol: "tcp", Port: row.port})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(out.Intent.Verdict) + ": " + out.Intent.Text; got != row.want {
				t.Errorf("%s to %s\nwant %q\ngot  %q", row.from, row.to, row.want, got)
			}
		})
	}
}

// A node port leads to the backends of its service on any node; if the service has a local traffic policy, it leads outside clients only
// to those on the same node.
func TestIntentAtNodePort(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "global global hostAccess=direct", "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254")
	m.Registered(t, "h1", "192.0.2.1:9090")
	m.Registered(t, "h2", "192.0.2.2:9090")
	web := m.Pod(t, "blue", "shop", "web", nil)
	m.Pod(t, "blue", "shop", "cl", nil)
	m.Kubernetes(t, web, &record.Namespace{Name: "shop"},
		&record.KubernetesService{ID: identity.KubernetesService{Namespace: "shop", Name: "np"}, Type: record.ServiceNodePort, ExternalLocal: true,
			ClusterIPs: []netip.Addr{netip.MustParseAddr("10.96.0.9")}, Ports: []record.ServicePort{{Name: "http", Protocol: 6, Port: 80, NodePort: 30080}}},
		&record.EndpointSlice{ID: identity.EndpointSlice{Namespace: "shop", Name: "np-1"}, Service: "np", Ports: []record.SlicePort{{Name: "http", Protocol: 6, Port: 8080}},
			Endpoints: []record.SliceEndpoint{{Address: web.IP, Pod: web.Pod.ID}}})
	asker := why.New(m.Catalog, switches(nil), nil, history.Keep{})
	home, other := web.Host, "h2"
	if home == other {
		other = "h1"
	}
	const leads = " is of service shop/np, which leads it to its only backend, shop/web; no rule speaks of tcp 8080, so it passes"
	for _, row := range []struct {
		name, from, to string
		port           int
		want           string
	}{
		{"a pod", "shop/cl", other, 30080, "allowed: the node port of " + other + leads + ", and no network policy of Kubernetes speaks of it"},
		{"a pod, the node's own port", "shop/cl", other, 30081, "allowed: no rule speaks of tcp 30081, so it passes, and no network policy of Kubernetes speaks of it"},
		{"a process of the node itself", other, other, 30080, "allowed: the node port of " + other + leads + ", and no network policy of Kubernetes speaks of it"},
		{"another node", home, other, 30080, "denied: service shop/np leads clients outside to backends of the node that they ask (externalTrafficPolicy Local), and " + other + " has none"},
	} {
		out, err := asker.Ask(t.Context(), model.WhyRequest{From: row.from, To: row.to, Protocol: "tcp", Port: row.port})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(out.Intent.Verdict) + ": " + out.Intent.Text; got != row.want {
			t.Errorf("%s:\nwant %q\ngot  %q", row.name, row.want, got)
		}
	}
}

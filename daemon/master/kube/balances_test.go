// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/contiv/contiv/daemon/kube/kubetest"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/identity"
)

// balanced returns a service of type LoadBalancer in namespace ns, with IPv4 and IPv6.
func balanced(name string, change ...func(*corev1.Service)) *corev1.Service {
	s := &corev1.Service{TypeMeta: metav1.TypeMeta{Kind: "Service", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("u-" + name), Annotations: map[string]string{}},
		Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, ClusterIPs: []string{"10.96.0.9", "fd00::9"},
			Ports: []corev1.ServicePort{{Port: 80, Protocol: corev1.ProtocolTCP}}}}
	for _, c := range change {
		c(s)
	}
	return s
}

func on(network string) func(*corev1.Service) {
	return func(s *corev1.Service) { s.Annotations[record.PlaceNetwork] = network }
}

func asking(address string) func(*corev1.Service) {
	return func(s *corev1.Service) { s.Spec.LoadBalancerIP = address }
}

func class(name string) func(*corev1.Service) {
	return func(s *corev1.Service) { s.Spec.LoadBalancerClass = &name }
}

// said returns the status of a service as text: its addresses, and the condition of Contiv.
func said(s *corev1.Service) string {
	var out []string
	for _, i := range s.Status.LoadBalancer.Ingress {
		out = append(out, i.IP+i.Hostname)
	}
	for _, c := range s.Status.Conditions {
		out = append(out, fmt.Sprint(c.Status, " ", c.Reason, ": ", c.Message))
	}
	return strings.Join(out, " ")
}

// says waits until the text of a service's status begins with want.
func (w *world) says(server *kubetest.Server, name, want string) {
	w.t.Helper()
	w.until(name+" says "+want, func(*catalog.View) bool {
		s := server.Service("ns", name)
		return s != nil && (said(s) == want || want != "" && strings.HasPrefix(said(s), want))
	})
}

// balancing starts the engines with network front, which has one address besides its gateway, network both with two families, and others.
func balancing(t *testing.T, server *kubetest.Server) *world {
	server.Put(t, namespace("ns", nil))
	w := start(t, server, memory.New())
	w.has(record.Namespaces+"ns", `{"name":"ns","uid":"u-ns","labels":{"name":"ns"}}`)
	w.Must(t, "network front subnet=10.5.0.0/30 gateway=10.5.0.1 encap=vxlan",
		"network both subnet=10.6.0.0/24 gateway=10.6.0.1 ipv6Subnet=fd06::/64 ipv6Gateway=fd06::1 encap=vxlan", "network end subnet=10.8.0.0/24 encap=vxlan",
		"tenant shop", "network shops tenantName=shop subnet=10.7.0.0/24 encap=vxlan")
	return w
}

func TestBalancers(t *testing.T) {
	const noNetwork = "False NoAddress: the service names no network for its address, and there is no default (annotate it with io.contiv.network=NAME, or start netmaster with --load-balancer-network)"
	for _, test := range []struct {
		name    string
		service *corev1.Service
		want    string
	}{
		{"a network of two families", balanced("s", on("both")), "10.6.0.2 fd06::2 True Given: of network default:both"},
		{"a network of one", balanced("s", on("front")), "10.5.0.2 True Given: of network default:front"},
		{"an address", balanced("s", on("both"), asking("10.6.0.77")), "10.6.0.77 fd06::2 True Given: of network default:both"},
		{"an address of IPv6", balanced("s", on("both"), asking("fd06::77")), "10.6.0.2 fd06::77 True Given: of network default:both"},
		{"only an address", balanced("s", asking("10.6.0.77")), "10.6.0.77 fd06::2 True Given: of network default:both"},
		{"our class", balanced("s", on("front"), class("contiv.io/load-balancer")), "10.5.0.2 True Given"},
		{"another class", balanced("s", on("front"), class("example.com/other")), ""},
		{"another class, and its status", balanced("s", on("front"), class("example.com/other"), func(s *corev1.Service) {
			s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
		}), "192.0.2.1"},
		{"no network", balanced("s"), noNetwork},
		{"no network, and somebody else's address", balanced("s", func(s *corev1.Service) {
			s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
		}), "192.0.2.1"},
		{"a network that is not there", balanced("s", on("red")), "False NoAddress: network default:red not found (create it with netctl network create --tenant default --subnet ADDRESS/LENGTH red)"},
		{"an address elsewhere", balanced("s", on("front"), asking("10.9.0.1")), "False NoAddress: requested address is not available"},
		{"an address of a family that is not there", balanced("s", on("front"), asking("fd06::7")), "False NoAddress: the service and network default:front do not both have addresses of the family of fd06::7"},
		{"the gateway", balanced("s", on("front"), asking("10.5.0.1")), "False NoAddress: requested address is not available"},
		{"another tenant", balanced("s", on("shops"), func(s *corev1.Service) { s.Annotations[record.PlaceTenant] = "shop" }), "False NoAddress: the service is of tenant default"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := kubetest.Start(t)
			w := balancing(t, server)
			server.Put(t, test.service, balanced("last", on("end")))
			w.says(server, "last", "10.8.0.1")
			w.says(server, "s", test.want)
		})
	}
}

// A service keeps its address as long as it requests it, even if its status changes.
func TestBalancerLife(t *testing.T) {
	server := kubetest.Start(t)
	w := balancing(t, server)
	first := balanced("first", on("front"))
	server.Put(t, first)
	w.says(server, "first", "10.5.0.2 True Given: of network default:front")
	w.has(record.KubernetesServices+"ns:first", `{"id":"ns:first","type":"LoadBalancer","ports":[{"protocol":6,"port":80}],"clusterIPs":["10.96.0.9","fd00::9"],"loadBalancerIPs":["10.5.0.2"],"place":{"network":"front"}}`)
	w.Catalog.View(func(v *catalog.View) {
		n := v.Network(identity.Network{Tenant: "default", Name: "front"})
		if owner := n.Owner(n.Record.Subnet.Addr().Next().Next()); owner != "service ns/first of Kubernetes" {
			t.Errorf("the owner of 10.5.0.2 is %q", owner)
		}
	})
	if _, err := w.Do("rm network front"); !strings.Contains(enginetest.Say(err), "delete the services ns/first first") {
		t.Errorf("a network with a service's address: got %s", enginetest.Say(err))
	}

	second := balanced("second", on("front"))
	server.Put(t, second)
	w.says(server, "second", "False NoAddress: auto allocation failed - address exhaustion in default:front")

	wiped := server.Service("ns", "first")
	wiped.TypeMeta = first.TypeMeta
	wiped.Status.LoadBalancer.Ingress = nil
	server.Put(t, wiped)
	w.says(server, "first", "10.5.0.2 True")

	w.World.Stop() // a new leader finds it so, and says nothing
	before := server.Patches()
	w = start(t, server, w.Store)
	w.has(record.Namespaces+"ns", `{"name":"ns","uid":"u-ns","labels":{"name":"ns"}}`)
	server.Put(t, balanced("last", on("end")))
	w.says(server, "last", "10.8.0.1")
	if n := server.Patches() - before; n != 1 {
		t.Errorf("want the status of one service written, got %d", n)
	}

	first = server.Service("ns", "first")
	first.TypeMeta, first.Spec.Type = second.TypeMeta, corev1.ServiceTypeClusterIP
	server.Put(t, first)
	w.says(server, "first", "")
	w.says(server, "second", "10.5.0.2 True Given: of network default:front")
	server.Delete(t, second)
	w.has(record.LoadBalancers+"ns:second", "")
	w.Must(t, "rm network front")
}

// A service follows its namespace into another tenant, and moves to another network if its annotation changes.
func TestBalancerMoves(t *testing.T) {
	server := kubetest.Start(t)
	w := balancing(t, server)
	s := balanced("s", on("both"))
	server.Put(t, s)
	w.says(server, "s", "10.6.0.2 fd06::2 True")
	server.Put(t, namespace("ns", map[string]string{record.PlaceTenant: "shop"}))
	w.says(server, "s", "False NoAddress: network shop:both not found")
	s = server.Service("ns", "s")
	s.TypeMeta, s.Annotations = balanced("s").TypeMeta, map[string]string{record.PlaceNetwork: "shops"}
	server.Put(t, s)
	w.says(server, "s", "10.7.0.1 True Given: of network shop:shops")
}

// Late events of a service do not make netmaster mistake its own status for that of another controller.
func TestBalancerLateEvents(t *testing.T) {
	server := kubetest.Start(t)
	w := balancing(t, server)
	allotted := func(v *catalog.View) bool {
		l := v.LoadBalancer(identity.KubernetesService{Namespace: "ns", Name: "s"})
		return l != nil && len(l.Addresses) == 2
	}
	server.Forbid(true)
	server.Put(t, balanced("s", on("both")))
	w.until("the addresses in the store", allotted)
	server.Hold("services")
	server.Forbid(false)
	w.says(server, "s", "10.6.0.2 fd06::2 True")
	server.Put(t, namespace("ns", map[string]string{record.PlaceTenant: "shop"}))
	w.until("the addresses released", func(v *catalog.View) bool { return !allotted(v) })
	server.Hold("")
	w.says(server, "s", "False NoAddress: network shop:both not found")
}

// While the API server refuses, the store continues, and pending statuses are written when the API server accepts them again.
func TestBalancerRefused(t *testing.T) {
	server := kubetest.Start(t)
	w := balancing(t, server)
	server.Forbid(true)
	server.Put(t, balanced("s", on("both")))
	w.until("the allotment", func(v *catalog.View) bool {
		l := v.LoadBalancer(identity.KubernetesService{Namespace: "ns", Name: "s"})
		return l != nil && len(l.Addresses) == 2
	})
	time.Sleep(3 * 10 * time.Millisecond)
	if got := said(server.Service("ns", "s")); got != "" {
		t.Errorf("it says %s", got)
	}
	server.Forbid(false)
	w.says(server, "s", "10.6.0.2 fd06::2 True")
}

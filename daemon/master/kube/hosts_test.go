// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"net/netip"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/kube/kubetest"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/identity"
)

func node(name, address string) *corev1.Node {
	return &corev1.Node{TypeMeta: metav1.TypeMeta{Kind: "Node", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Name: name},
		Status: corev1.NodeStatus{Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}}}}
}

// host starts the agent of a host on a machine with the tunnel address 192.0.2.N.
func (w *world) host(label string, n byte) {
	w.t.Helper()
	h := record.Host{Label: label, Machine: "m-" + label, Instance: "s-" + label, VTEP: netip.AddrFrom4([4]byte{192, 0, 2, n}), Port: 4789}
	if _, _, err := w.Registrar.Register(w.t.Context(), h); err != nil {
		w.t.Fatal(err)
	}
}

// down stops the agent of a host.
func (w *world) down(label string) {
	w.t.Helper()
	if _, err := w.Registrar.Leave(w.t.Context(), label, "s-"+label); err != nil {
		w.t.Fatal(err)
	}
}

// isNode waits until the record of a host names its node.
func (w *world) isNode(host, node string) {
	w.t.Helper()
	w.until(host+" is node "+node, func(v *catalog.View) bool { h := v.Host(host); return h != nil && h.KubernetesNode == node })
}

// goes waits until a host is removed.
func (w *world) goes(host string) {
	w.t.Helper()
	w.until(host+" goes", func(v *catalog.View) bool { return v.Host(host) == nil })
}

// stay compares hosts with nodes, and requires that none of these hosts is removed.
func (w *world) stay(why string, hosts ...string) {
	w.t.Helper()
	if err := w.CompareHosts(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.Catalog.View(func(v *catalog.View) {
		for _, h := range hosts {
			if v.Host(h) == nil {
				w.t.Errorf("%s: host %s is to stay", why, h)
			}
		}
	})
}

// A host whose agent does not run is removed with its node, which has the name or the address of the host.
func TestHostGoesWithNode(t *testing.T) {
	server := kubetest.Start(t)
	server.Put(t, namespace("ns", nil), node("h1", "192.0.2.1"), node("n2", "192.0.2.2"), node("h3", "192.0.2.3"))
	w := start(t, server, memory.New())
	for i, label := range []string{"h1", "h2", "h3", "bare"} {
		w.host(label, byte(i+1))
	}
	w.isNode("h1", "h1")
	w.isNode("h2", "n2")
	w.isNode("h3", "h3")
	w.until("the default network", func(v *catalog.View) bool {
		return v.Network(identity.Network{Tenant: "default", Name: "default-net"}) != nil
	})
	server.Put(t, pod("ns", "a", nil), pod("ns", "b", nil))
	if _, err := w.attach(pod("ns", "a", nil), "u-a"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.attach(pod("ns", "b", nil), "u-b", func(q *model.CreateEndpointRequest) { q.ConfigEP.Host = "h3" }); err != nil {
		t.Fatal(err)
	}
	w.Must(t, "attach default-net plain host=h1")
	w.down("h3")
	w.down("bare")
	server.Delete(t, node("h1", ""))
	w.has(record.KubernetesNodes+"h1", "")
	w.down("h2")
	server.Delete(t, node("n2", ""))
	w.goes("h2")
	w.stay("its agent runs", "h1")
	w.stay("its node is there", "h3")
	w.stay("it has never been a node", "bare")

	w.host("h1", 1) // an agent that starts once more does not make the host forget what it was
	w.down("h1")
	w.stay("Kubernetes has a pod of it", "h1")
	server.Delete(t, pod("ns", "a", nil))
	w.goes("h1")
	w.Catalog.View(func(v *catalog.View) {
		var left []string
		for _, e := range v.Endpoints() {
			left = append(left, e.ID.Endpoint)
		}
		if got := fmt.Sprint(left); got != "[c-b plain]" {
			t.Errorf("endpoints of the host's pods are to go, those of other pods and containers to stay; left are %s", got)
		}
		for _, e := range history.Open(v, history.Keep{}).List(history.Filter{}) {
			if e.Kind == history.KindHost && e.Key == "h1" {
				if e.Verb != "delete" || e.By.Program != "netmaster" || e.Why != "node h1 of Kubernetes was deleted, and its agent does not run" {
					t.Errorf("got %+v", e)
				}
				return
			}
		}
		t.Error("the history lacks the removal of the host")
	})
}

// No host is removed while the API server is down, or because of a repeated list of nodes; a new leader knows which hosts were nodes.
func TestHostsStay(t *testing.T) {
	server, db := kubetest.Start(t), memory.New()
	server.Put(t, node("h1", "192.0.2.1"), node("h2", "192.0.2.2"), node("h3", "192.0.2.3"))
	w := start(t, server, db)
	for i, label := range []string{"h1", "h2", "h3"} {
		w.host(label, byte(i+1))
		w.isNode(label, label)
	}
	server.Delete(t, node("h1", ""))
	w.has(record.KubernetesNodes+"h1", "")
	w.down("h2")
	w.down("h3")
	server.Away(true)
	server.Delete(t, node("h2", ""))
	w.unaware()
	w.down("h1")
	w.stay("the API server is away", "h1", "h2", "h3")
	w.World.Stop()

	w = start(t, server, db)
	w.stay("no list of nodes was received yet", "h1", "h2", "h3")
	server.Forget()
	server.Away(false)
	w.goes("h1")
	w.goes("h2")
	w.stay("its node is there, in the list that came again", "h3")
}

// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/kube/kubetest"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/identity"
)

// payingSlice returns a slice of service pay whose backends are pods with addresses, "name=address".
func payingSlice(pods ...string) *discoveryv1.EndpointSlice {
	port := int32(80)
	s := &discoveryv1.EndpointSlice{TypeMeta: metav1.TypeMeta{Kind: "EndpointSlice", APIVersion: "discovery.k8s.io/v1"},
		ObjectMeta:  metav1.ObjectMeta{Namespace: "ns", Name: "pay-1", Labels: map[string]string{discoveryv1.LabelServiceName: "pay"}},
		AddressType: discoveryv1.AddressTypeIPv4, Ports: []discoveryv1.EndpointPort{{Port: &port}}}
	for _, p := range pods {
		name, address, _ := strings.Cut(p, "=")
		e := discoveryv1.Endpoint{Addresses: []string{address}}
		if name != "" {
			e.TargetRef = &corev1.ObjectReference{Kind: "Pod", Namespace: "ns", Name: name}
		}
		s.Endpoints = append(s.Endpoints, e)
	}
	return s
}

// states returns the backends of service pay as "address:state".
func states(v *catalog.View) string {
	var out []string
	for _, s := range v.SlicesOf(identity.KubernetesService{Namespace: "ns", Name: "pay"}) {
		for _, e := range s.Endpoints {
			out = append(out, fmt.Sprintf("%s:%s", e.Address, e.State))
		}
	}
	return strings.Join(out, " ")
}

// A late or lost slice leads no client to another pod that now has the address of the slice's pod.
func TestLateSlices(t *testing.T) {
	server, db := kubetest.Start(t), memory.New()
	server.Put(t, namespace("ns", nil), pod("ns", "pay", nil), pod("ns", "stranger", nil))
	w := start(t, server, db)
	w.until("the default network", func(v *catalog.View) bool {
		return v.Network(identity.Network{Tenant: "default", Name: "default-net"}) != nil
	})
	pay, err := w.attach(pod("ns", "pay", nil), "")
	if err != nil {
		t.Fatal(err)
	}
	// The address of a node, and an address without a pod, count in any case.
	server.Put(t, payingSlice("pay="+pay.IP.String(), "onhost=192.0.2.7", "="+pay.IP.String()))
	is := func(state string) string {
		return fmt.Sprintf("%s:%s 192.0.2.7: %[1]s:", pay.IP, state)
	}
	w.until("the slice", func(v *catalog.View) bool { return states(v) == is("") })

	remove := func(name string) {
		t.Helper()
		if _, _, err := w.Service.Delete(t.Context(), model.DeleteEndpointRequest{TenantName: "default", NetworkName: "default-net", EndpointID: "c-" + name}); err != nil {
			t.Fatal(err)
		}
	}
	at := func(q *model.CreateEndpointRequest) { q.ConfigEP.IPAddress = pay.IP.String() }
	remove("pay") // and its slice stays
	if _, err := w.attach(pod("ns", "stranger", nil), "", at); err != nil {
		t.Fatal(err)
	}
	now := func(want string) {
		t.Helper()
		w.Catalog.View(func(v *catalog.View) {
			if got := states(v); got != want {
				t.Errorf("want the backends %s, got %s", want, got)
			}
		})
	}
	now(is("notready")) // with the very transaction that gave the address
	server.Put(t, payingSlice("pay="+pay.IP.String(), "onhost=192.0.2.7", "="+pay.IP.String(), "pay=192.0.2.8"))
	w.until("the slice that changes", func(v *catalog.View) bool { return states(v) == is("notready")+" 192.0.2.8:" })
	w.World.Stop()

	w = start(t, server, db)
	w.until("a new leader", func(*catalog.View) bool { return true })
	now(is("notready") + " 192.0.2.8:")
	remove("stranger")
	now(is("") + " 192.0.2.8:")
	if _, err := w.attach(pod("ns", "pay", nil), "", at); err != nil {
		t.Fatal(err)
	}
	now(is("") + " 192.0.2.8:")
	w.Catalog.View(func(v *catalog.View) {
		if text := string(v.Value(record.EndpointSlices + "ns:pay-1")); strings.Contains(text, "lost") {
			t.Errorf("nothing is lost any more: %s", text)
		}
	})
}

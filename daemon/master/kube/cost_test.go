// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/daemon/kube/kubetest"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/identity"
)

// sliceOf is an EndpointSlice of service web with a backend at each address.
func sliceOf(name, version string, addresses ...string) *discoveryv1.EndpointSlice {
	s := &discoveryv1.EndpointSlice{TypeMeta: metav1.TypeMeta{Kind: "EndpointSlice", APIVersion: "discovery.k8s.io/v1"}, AddressType: discoveryv1.AddressTypeIPv4,
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: "web"},
			Annotations: map[string]string{"endpoints.kubernetes.io/last-change-trigger-time": version}}}
	protocol, port := corev1.ProtocolTCP, int32(80)
	s.Ports = []discoveryv1.EndpointPort{{Protocol: &protocol, Port: &port}}
	for _, a := range addresses {
		s.Endpoints = append(s.Endpoints, discoveryv1.Endpoint{Addresses: []string{a}})
	}
	return s
}

// Each change of Kubernetes costs one transaction, and none if agents do not need it.
func TestTransactions(t *testing.T) {
	server := kubetest.Start(t)
	web, mark := pod("ns", "web", map[string]string{"app": "web"}), pod("ns", "mark", nil)
	server.Put(t, namespace("ns", nil), denyAll("deny"), sliceOf("web", "1", "10.1.0.7"), web, mark)
	w := start(t, server, memory.New())
	w.until("the default network", func(v *catalog.View) bool {
		return v.Network(identity.Network{Tenant: "default", Name: "default-net"}) != nil
	})
	w.has(record.NetworkPolicies+"ns:deny", denied)
	marked, err := w.attach(mark, "u-mark")
	if err != nil {
		t.Fatal(err)
	}
	serial := 0
	// The marks are a transaction each, of what comes later than what a row does.
	policies := func() {
		server.Put(t, denyAll(fmt.Sprint("mark", serial)))
		w.has(fmt.Sprint(record.NetworkPolicies, "ns:mark", serial), strings.Replace(denied, "deny", fmt.Sprint("mark", serial), 1))
	}
	slices := func() {
		server.Put(t, sliceOf(fmt.Sprint("mark", serial), "1", "10.1.0.9"))
		w.until("a slice", func(v *catalog.View) bool {
			return v.Value(fmt.Sprint(record.EndpointSlices, "ns:mark", serial)) != nil
		})
	}
	pods := func() {
		label := fmt.Sprint("mark", serial)
		server.Put(t, pod("ns", "mark", map[string]string{"app": label}))
		w.until("a label", func(v *catalog.View) bool { return v.Endpoint(marked.ID).Labels["app"] == label })
	}
	attach := func() {
		if _, err := w.attach(web, "u-web"); err != nil {
			t.Fatal(err)
		}
	}
	says := func(key, part string) func(v *catalog.View) bool {
		return func(v *catalog.View) bool { return strings.Contains(string(v.Value(key)), part) }
	}
	egress, ready := denyAll("deny"), pod("ns", "web", map[string]string{"app": "web"})
	egress.Spec.PolicyTypes = append(egress.Spec.PolicyTypes, "Egress")
	ready.Status = corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.1.0.7"}
	for _, test := range []struct {
		name  string
		do    func()
		comes func(v *catalog.View) bool // nil: nothing is to come of it
		mark  func()
	}{
		{"a pod starts", attach, func(*catalog.View) bool { return true }, pods},
		{"it is asked for again", attach, nil, pods},
		{"its status", func() { server.Put(t, ready) }, nil, pods},
		{"its label", func() { server.Put(t, pod("ns", "web", map[string]string{"app": "db"})) }, func(v *catalog.View) bool {
			all := v.EndpointsOfPod(identity.Pod{Namespace: "ns", Name: "web"})
			return len(all) == 1 && all[0].Labels["app"] == "db"
		}, pods},
		{"a pod without an endpoint of ours", func() { server.Put(t, pod("ns", "foreign", nil)) }, nil, pods},
		{"a policy", func() { server.Put(t, denyAll("another")) }, says(record.NetworkPolicies+"ns:another", "isolates"), policies},
		{"a policy changes", func() { server.Put(t, egress) }, says(record.NetworkPolicies+"ns:deny", "egress"), policies},
		{"a policy goes", func() { server.Delete(t, denyAll("another")) }, func(v *catalog.View) bool { return v.Value(record.NetworkPolicies+"ns:another") == nil }, policies},
		{"a slice changes", func() { server.Put(t, sliceOf("web", "1", "10.1.0.8")) }, says(record.EndpointSlices+"ns:web", "10.1.0.8"), slices},
		{"a slice is written again", func() { server.Put(t, sliceOf("web", "2", "10.1.0.8")) }, nil, slices},
	} {
		t.Run(test.name, func(t *testing.T) {
			serial++
			before, want := w.transactions(), uint64(1) // of the mark
			test.do()
			if test.comes != nil {
				want = 2
				w.until(test.name, test.comes)
			}
			test.mark()
			w.wrote(test.name, before, want)
		})
	}
}

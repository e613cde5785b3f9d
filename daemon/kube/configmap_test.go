// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/kubetest"
)

// Only one of those that create a ConfigMap does so, and a change applies to the content that was read.
func TestConfigMap(t *testing.T) {
	server := kubetest.Start(t)
	m := &kube.ConfigMap{API: kube.Config{Kubeconfig: server.Kubeconfig(t)}, Namespace: "contiv-system", Name: "contiv-store"}
	if _, err := m.Read(t.Context()); !errors.Is(err, kube.ErrAbsent) {
		t.Fatalf("before it exists: want ErrAbsent, got %v", err)
	}
	if err := m.Create(t.Context(), map[string]string{"founder": "h1", "old": "a"}); err != nil {
		t.Fatal(err)
	}
	if err := m.Create(t.Context(), map[string]string{"founder": "h2"}); !errors.Is(err, kube.ErrChanged) {
		t.Errorf("the second one that creates it: want ErrChanged, got %v", err)
	}
	was, err := m.Read(t.Context())
	if err != nil || was.Data["founder"] != "h1" {
		t.Fatalf("want the first one's, got %v, %v", was, err)
	}
	next := map[string]string{"founder": "h1", "new": "b"}
	if err := m.Update(t.Context(), was, next); err != nil {
		t.Fatal(err)
	}
	if got := server.ConfigMap("contiv-system", "contiv-store"); !maps.Equal(got, next) {
		t.Errorf("want %v, got %v", next, got)
	}
	if err := m.Update(t.Context(), was, map[string]string{"founder": "h2"}); !errors.Is(err, kube.ErrChanged) {
		t.Errorf("a change of what was read before: want ErrChanged, got %v", err)
	}
	server.Forbid(true)
	_, read := m.Read(t.Context())
	for what, err := range map[string]error{"read": read, "create": m.Create(t.Context(), nil), "change": m.Update(t.Context(), was, next)} {
		if err == nil || errors.Is(err, kube.ErrAbsent) || errors.Is(err, kube.ErrChanged) || !strings.Contains(err.Error(), "Forbidden") {
			t.Errorf("%s without the permission: got %v", what, err)
		}
	}
	server.Forbid(false)
	server.Away(true)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // of the client's own retries
	defer cancel()
	if _, err := m.Read(ctx); err == nil || errors.Is(err, kube.ErrAbsent) {
		t.Errorf("an API server that is away: want an error that says nothing of the ConfigMap, got %v", err)
	}
}

// Pods of the namespace with the label that are ready name their nodes.
func TestReadyNodes(t *testing.T) {
	server := kubetest.Start(t)
	m := &kube.ConfigMap{API: kube.Config{Kubeconfig: server.Kubeconfig(t)}, Namespace: "contiv-system", Name: "contiv-store"}
	add := func(namespace, name, app string, ready corev1.ConditionStatus) {
		p := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, Spec: corev1.PodSpec{NodeName: "node-" + name},
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": app}},
			Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}}}
		server.Put(t, p)
	}
	add("contiv-system", "a", "netmaster", corev1.ConditionTrue)
	add("contiv-system", "b", "netmaster", corev1.ConditionFalse)
	add("contiv-system", "c", "netplugin", corev1.ConditionTrue)
	add("other", "d", "netmaster", corev1.ConditionTrue)
	if got, err := m.ReadyNodes(t.Context(), "app=netmaster"); err != nil || !slices.Equal(got, []string{"node-a"}) {
		t.Errorf("want node-a, got %v, %v", got, err)
	}
}

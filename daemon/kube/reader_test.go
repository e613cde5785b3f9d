// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/network-policy-api/apis/v1alpha2"

	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/kubetest"
)

// sink keeps the objects that a reader reports.
type sink struct {
	mu     sync.Mutex
	has    map[kube.Kind]map[string]string // nil for a kind without a report
	heard  int
	change chan struct{}
}

func newSink() *sink {
	return &sink{has: map[kube.Kind]map[string]string{}, change: make(chan struct{}, 1)}
}

func (s *sink) note(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.heard++
	select {
	case s.change <- struct{}{}:
	default:
	}
}

func text(o kube.Object) string {
	text, err := json.Marshal(o.Value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (s *sink) All(k kube.Kind, all []kube.Object) {
	s.note(func() {
		s.has[k] = map[string]string{}
		for _, o := range all {
			s.has[k][o.Key] = text(o)
		}
	})
}

func (s *sink) Put(k kube.Kind, o kube.Object) { s.note(func() { s.has[k][o.Key] = text(o) }) }

func (s *sink) Delete(k kube.Kind, key string) { s.note(func() { delete(s.has[k], key) }) }

// keys returns the keys of all objects as "kind key key", ordered by kind; "kind" for one without objects.
func (s *sink) keys() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, k := range slices.Sorted(maps.Keys(s.has)) {
		out = append(out, strings.Join(append([]string{string(k)}, slices.Sorted(maps.Keys(s.has[k]))...), " "))
	}
	return strings.Join(out, "; ")
}

// comes waits until the sink's keys are as expected.
func (s *sink) comes(t *testing.T, want string) {
	t.Helper()
	late := time.After(20 * time.Second)
	for s.keys() != want {
		select {
		case <-s.change:
		case <-late:
			t.Fatalf("want %q, got %q", want, s.keys())
		}
	}
}

// start runs a reader of a server until the test ends.
func start(t *testing.T, server *kubetest.Server) (*sink, *kube.Reader) {
	t.Helper()
	return startWith(t, kube.Config{Kubeconfig: server.Kubeconfig(t)})
}

func startWith(t *testing.T, c kube.Config) (*sink, *kube.Reader) {
	t.Helper()
	r := kube.NewReader(c, slog.New(slog.DiscardHandler))
	into := newSink()
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx, into) }()
	t.Cleanup(func() {
		end()
		if err := <-done; err != nil {
			t.Errorf("the reader ends: %v", err)
		}
	})
	return into, r
}

func meta(kind, namespace, name string) (metav1.TypeMeta, metav1.ObjectMeta) {
	return metav1.TypeMeta{Kind: kind, APIVersion: "v1"}, metav1.ObjectMeta{Namespace: namespace, Name: name, UID: "u-1"}
}

func namespace(name string) *corev1.Namespace {
	n := &corev1.Namespace{}
	n.TypeMeta, n.ObjectMeta = meta("Namespace", "", name)
	return n
}

func pod(name string) *corev1.Pod {
	p := &corev1.Pod{}
	p.TypeMeta, p.ObjectMeta = meta("Pod", "ns", name)
	return p
}

func clusterPolicy(name string) *v1alpha2.ClusterNetworkPolicy {
	p := &v1alpha2.ClusterNetworkPolicy{Spec: v1alpha2.ClusterNetworkPolicySpec{Tier: v1alpha2.AdminTier,
		Subject: v1alpha2.ClusterNetworkPolicySubject{Namespaces: &metav1.LabelSelector{}}}}
	p.TypeMeta, p.ObjectMeta = meta("ClusterNetworkPolicy", "", name)
	p.APIVersion = "policy.networking.k8s.io/v1alpha2"
	return p
}

const nothing = "clusternetworkpolicies; endpointslices; namespaces; networkpolicies; nodes; pods; services"

// with returns nothing with the given keys of some kinds.
func with(some ...string) string {
	out := strings.Split(nothing, "; ")
	for _, s := range some {
		kind, _, _ := strings.Cut(s, " ")
		out[slices.Index(out, kind)] = s
	}
	return strings.Join(out, "; ")
}

// servers runs a test with each kind of server: one with lists and JSON, and one that streams.
func servers(t *testing.T, test func(t *testing.T, server *kubetest.Server)) {
	t.Run("lists", func(t *testing.T) { test(t, kubetest.Start(t)) })
	t.Run("streams", func(t *testing.T) {
		server := kubetest.Start(t)
		server.Stream()
		test(t, server)
	})
}

func TestReader(t *testing.T) { servers(t, testReader) }

func testReader(t *testing.T, server *kubetest.Server) {
	onHost := pod("onhost")
	onHost.Spec.HostNetwork = true
	server.Put(t, namespace("ns"), pod("a"), onHost)
	into, r := start(t, server)
	into.comes(t, with("namespaces ns", "pods ns:a"))

	server.Put(t, pod("b"))
	server.Delete(t, pod("a"))
	into.comes(t, with("namespaces ns", "pods ns:b"))

	server.Away(true)
	server.Delete(t, pod("b"))
	server.Put(t, pod("c"))
	for r.Away() == "" {
		time.Sleep(time.Millisecond)
	}
	if got := into.keys(); got != with("namespaces ns", "pods ns:b") {
		t.Errorf("while the server is away nothing changes; got %s", got)
	}
	server.Away(false)
	into.comes(t, with("namespaces ns", "pods ns:c"))
	if why := r.Away(); why != "" {
		t.Errorf("the server is back; got %q", why)
	}

	server.Away(true) // and its history is gone
	server.Delete(t, pod("c"))
	server.Forget()
	server.Away(false)
	into.comes(t, with("namespaces ns", "pods"))
}

func TestReaderOfADefinitionThatComes(t *testing.T) { servers(t, testReaderOfADefinitionThatComes) }

func testReaderOfADefinitionThatComes(t *testing.T, server *kubetest.Server) {
	into, _ := start(t, server)
	into.comes(t, nothing)
	server.Install(true)
	server.Put(t, clusterPolicy("p"))
	into.comes(t, with("clusternetworkpolicies p"))
	server.Install(false)
	into.comes(t, nothing)
}

func TestConfig(t *testing.T) {
	for _, test := range []struct {
		name   string
		config kube.Config
		wanted bool
		want   string // in the error
	}{
		{"none", kube.Config{}, false, ""},
		{"a kubeconfig", kube.Config{Kubeconfig: "/none"}, true, ""},
		{"a server", kube.Config{Server: "https://192.0.2.1:6443"}, true, ""},
		{"no URL", kube.Config{Server: "192.0.2.1:6443"}, true, "is not a URL like https://192.0.2.1:6443"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.config.Check()
			if test.config.Wanted() != test.wanted || (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %t, %v", test.config.Wanted(), err)
			}
		})
	}
	r := kube.NewReader(kube.Config{Kubeconfig: t.TempDir() + "/none"}, slog.New(slog.DiscardHandler))
	if err := r.Run(t.Context(), newSink()); err == nil || !strings.Contains(err.Error(), "credentials of Kubernetes") {
		t.Errorf("a kubeconfig that is not there: got %v", err)
	}
}

// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/kubetest"
)

// unread waits until the reader says of a kind that it cannot be read, with part of the reason; "" until it says of none.
func unread(t *testing.T, r *kube.Reader, want string) {
	t.Helper()
	says := func() bool { return strings.Contains(r.Unread(), want) && (want != "" || r.Unread() == "") }
	until(t, says, func() string { return "want the reader to say " + want + ", got " + r.Unread() })
}

// until waits until a condition holds, for 20 seconds at most.
func until(t *testing.T, holds func() bool, otherwise func() string) {
	t.Helper()
	tick, late := time.NewTicker(time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal(otherwise())
		}
	}
}

// Policies of the cluster stay known unless the API server says that they are not defined: whatever versions it serves, while it starts,
// and while it refuses.
func TestPoliciesStay(t *testing.T) { servers(t, testPoliciesStay) }

func testPoliciesStay(t *testing.T, server *kubetest.Server) {
	const one, two = "clusternetworkpolicies p", "clusternetworkpolicies p q"
	server.Install(true)
	server.Put(t, clusterPolicy("p"))
	into, r := start(t, server)
	into.comes(t, with(one))

	server.Serve("v1alpha2") // the version that is read is not there any more, as after a downgrade of the definition
	server.Put(t, clusterPolicy("q"))
	into.comes(t, with(two))
	unread(t, r, "")
	server.Serve("v1beta1")
	server.Delete(t, clusterPolicy("q"))
	into.comes(t, with(one))

	for _, test := range []struct {
		name         string
		change, mend func()
		want         string
	}{
		{"a version that is not ours", func() { server.Serve("v1") }, func() { server.Serve("v1beta1") },
			"the API server serves v1 of clusternetworkpolicies.policy.networking.k8s.io; netmaster reads v1beta1 and v1alpha2"},
		{"no version", func() { server.Serve() }, func() { server.Serve("v1beta1", "v1alpha2") }, "the API server serves no version of it"},
		{"an API server that starts", func() { server.Starting(true) }, func() { server.Starting(false) }, "does not list its own group networking.k8s.io yet"},
	} {
		test.change()
		unread(t, r, test.want)
		if got := into.keys(); got != with(one) {
			t.Errorf("%s: want %s known, got %s", test.name, one, got)
		}
		test.mend()
		unread(t, r, "")
	}

	server.Install(false)
	into.comes(t, nothing)
	unread(t, r, "")
}

// An account that may not ask for definitions believes the list of groups.
func TestDefinitionIsSecret(t *testing.T) {
	server := kubetest.Start(t)
	server.Secret()
	into, r := start(t, server)
	into.comes(t, nothing)
	unread(t, r, "")
}

// A kind that may not be read any more is reported, with what was read of it.
func TestRefused(t *testing.T) {
	server := kubetest.Start(t)
	server.Put(t, namespace("ns"), pod("a"))
	into, r := start(t, server)
	into.comes(t, with("namespaces ns", "pods ns:a"))
	before := r.Since()
	server.Hide("pods", true)
	server.Away(true) // which ends the watches
	server.Away(false)
	unread(t, r, "pods: netmaster's account needs list and watch: ")
	if got := into.keys(); got != with("namespaces ns", "pods ns:a") {
		t.Errorf("what was read stays; got %s", got)
	}
	if !r.Since().After(before) {
		t.Error("since when it is so must be known")
	}
	server.Hide("pods", false)
	unread(t, r, "")
}

// An API server that keeps its connections and answers nothing is noticed, though nothing is asked of it.
func TestFrozen(t *testing.T) {
	server := kubetest.Start(t)
	server.Put(t, namespace("ns"))
	into, r := startWith(t, kube.Config{Kubeconfig: server.Kubeconfig(t), Look: 50 * time.Millisecond})
	into.comes(t, with("namespaces ns"))
	server.Freeze(true)
	until(t, func() bool { return strings.Contains(r.Away(), "has not answered within 50ms") }, func() string { return "want the API server away, got " + r.Away() })
	if !r.Silent() {
		t.Error("want it silent: nothing else is known of it")
	}
	server.Freeze(false)
	server.Put(t, namespace("later"))
	into.comes(t, with("namespaces later ns"))
	until(t, func() bool { return r.Away() == "" }, func() string { return "want the API server back, got " + r.Away() })
	if r.Silent() {
		t.Error("want it silent no longer")
	}
	server.Away(true)
	until(t, func() bool { return r.Away() != "" }, func() string { return "want the API server away" })
	if r.Silent() {
		t.Errorf("an API server that refuses is not only silent: %s", r.Away())
	}
}

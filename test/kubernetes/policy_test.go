// SPDX-License-Identifier: Apache-2.0

package kubernetes_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/contiv/contiv/lab"
)

// Network policies hold between pods of two nodes, follow labels of pods and namespaces, and end with their objects. Refusals are
// explained.
func TestNetworkPolicies(t *testing.T) {
	c := start(t, lab.Plan{Name: "kpol"})
	c.namespace("shop", "team=a")
	web := c.create(pod{name: "web", host: "h1", labels: "app=web", serves: 8080, more: map[string]any{
		"readinessProbe": map[string]any{"httpGet": map[string]any{"path": "/hostname", "port": 8080}, "periodSeconds": 1},
		"ports":          []any{map[string]any{"containerPort": 8080, "name": "http"}}}})
	near := c.create(pod{name: "near", host: "h1"})
	far := c.create(pod{name: "far", host: "h2"})
	other := c.create(pod{name: "other", namespace: "shop", host: "h2"})
	c.apply(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "default"},
		"spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}}`)
	for _, p := range []*running{web, near, far, other} {
		p.ready()
	}
	at := web.address(4)
	for _, from := range []*running{near, far, other} {
		from.connects(true, at, 8080)
	}

	c.apply(`{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "to-web", "namespace": "default"},
		"spec": {"podSelector": {"matchLabels": {"app": "web"}}, "policyTypes": ["Ingress"], "ingress": [{"ports": [{"port": "http"}],
			"from": [{"podSelector": {"matchLabels": {"role": "client"}}}, {"namespaceSelector": {"matchLabels": {"team": "b"}}}]}]}}`)
	for _, from := range []*running{near, far, other} {
		from.connects(false, at, 8080)
		from.connects(false, web.address(6), 8080)
	}
	c.shows(t)
	c.answers("h1", at.String()+":8080", "web") // a pod and its own node always meet

	c.kubectl("label", "pod", "far", "role=client")
	far.connects(true, at, 8080)
	far.connects(true, web.address(6), 8080)
	if out := c.netctl("flows", "h1", "--owner", "networkpolicy/default/to-web"); !strings.Contains(out, "netpol_in") {
		t.Errorf("netctl flows by the policy: got\n%s", out)
	}
	c.observes("opened .*far .*web .*networkpolicy default/to-web", "--rule", "networkpolicy/default/to-web", "--to", "default/web")
	c.observes("refused .*near .*web .*no network policy admits it", "--denied", "--from", "default/near")
	far.pings(false, at) // another protocol than the rule's
	c.kubectl("label", "namespace", "shop", "team=b", "--overwrite")
	other.connects(true, at, 8080)
	near.connects(false, at, 8080)

	c.apply(`{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "from-far", "namespace": "default"},
		"spec": {"podSelector": {"matchLabels": {"role": "client"}}, "policyTypes": ["Egress"], "egress": [{"to": [{"ipBlock": {"cidr": "192.0.2.0/24"}}]}]}}`)
	far.connects(false, at, 8080)
	c.kubectl("delete", "networkpolicy", "from-far")
	far.connects(true, at, 8080)
	c.kubectl("delete", "networkpolicy", "to-web")
	near.connects(true, at, 8080)
}

// observes waits until the log of connections has a line.
func (c *cluster) observes(want string, args ...string) {
	c.t.Helper()
	line := regexp.MustCompile(want)
	c.eventually("netctl observe says "+want, func() error {
		out, err := c.tryNetctl(append([]string{"observe"}, args...)...)
		if err == nil && !line.MatchString(out) {
			err = errors.New(out)
		}
		return err
	})
}

// shows checks that netctl shows the policy to-web, service web, and their meaning.
func (c *cluster) shows(t *testing.T) {
	t.Helper()
	for _, test := range []struct{ line, want string }{
		{"netpol ls", "pods app=web"},
		{"netpol inspect default/to-web", `"selects": 1`},
		{"netpol inspect default/to-web", "1: allow tcp http from pods role=client of its namespace; or all pods of namespaces team=b"},
		{"endpoint inspect web", `"networkpolicy default/to-web"`},
		{"namespace inspect shop", `"pods": 1`},
		{"kubeservice ls -n default", "tcp 80"},
		{"kubeservice inspect default/web", "ready, pod default/web"},
		{"matrix -n default near web", "networkpolicy default/to-web isolates"},
		{"node ls -o wide", "read since"},
	} {
		if out := c.netctl(strings.Fields(test.line)...); !strings.Contains(out, test.want) {
			t.Errorf("netctl %s: want %s, got\n%s", test.line, test.want, out)
		}
	}
	for _, line := range []string{"why default/far default/web tcp 8080", "why default/far service/default/web tcp 80"} {
		out, err := c.tryNetctl(strings.Fields(line)...)
		if err == nil || !strings.HasPrefix(out, "DENIED") || !strings.Contains(out, "networkpolicy default/to-web isolates default/web") {
			t.Errorf("netctl %s: want a denial by the policy, got %s (%v)", line, out, err)
		}
	}
	if out, err := c.tryNetctl("why", "default/web", "shop/other", "tcp", "8080"); err != nil || !strings.Contains(out, "no network policy of Kubernetes speaks of it; the switches agree") {
		t.Errorf("why: want it to pass, got %s (%v)", out, err)
	}
}

package kubernetes_test

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/lab"
)

// Network policies hold between pods of two nodes, follow labels of pods and namespaces, and end with their objects. What they refuse is
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
	if out, err := c.tryNetctl("why", "far", "web", "tcp", "8080"); err == nil || !strings.Contains(out, "DENIED") || !strings.Contains(out, "network policies of Kubernetes") {
		t.Errorf("why: want a denial by network policies, got %s (%v)", out, err)
	}
	c.answers("h1", at.String()+":8080", "web") // a pod and its own node always meet

	c.kubectl("label", "pod", "far", "role=client")
	far.connects(true, at, 8080)
	far.connects(true, web.address(6), 8080)
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

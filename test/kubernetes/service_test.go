// SPDX-License-Identifier: Apache-2.0

package kubernetes_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/lab"
)

// Nodes and pods meet by the pods' addresses, so probes succeed, and services answer pods and nodes alike, by their addresses, by ports of
// every node, and with the API server behind one of them. Ports of a node lead to the pod that has them.
func TestServices(t *testing.T) {
	c := start(t, lab.Plan{Name: "ksvc"})
	web := c.create(pod{name: "web", host: "h1", labels: "app=web", serves: 8080, more: map[string]any{
		"readinessProbe": map[string]any{"httpGet": map[string]any{"path": "/hostname", "port": 8080}, "periodSeconds": 1},
		"ports":          []any{map[string]any{"containerPort": 8080, "hostPort": 8088}}}})
	far := c.create(pod{name: "far", host: "h2", labels: "app=web", serves: 8080, more: map[string]any{
		"readinessProbe": map[string]any{"tcpSocket": map[string]any{"port": 8080}, "periodSeconds": 1}}})
	client := c.create(pod{name: "client", host: "h2"})
	onHost := c.create(pod{name: "onhost", host: "h2", hostNetwork: true})
	c.apply(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "default"},
		"spec": {"type": "NodePort", "selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080, "nodePort": 30080}]}}`)
	for _, p := range []*running{web, far, client, onHost} {
		p.ready()
	}
	service := netip.MustParseAddr(c.kubectl("get", "service", "web", "-o", "jsonpath={.spec.clusterIP}"))
	nodes := map[string]string{"h1": c.node("h1"), "h2": c.node("h2")}

	for _, from := range []*running{client, onHost} {
		from.connects(true, service, 80)
	}
	if got, err := client.asks(web.address(4), 8080, "/clientip"); err != nil || !strings.HasPrefix(got, client.address(4).String()+":") {
		t.Errorf("web sees the client as %q (%v), want %s", got, err, client.address(4))
	}
	for _, host := range []string{"h1", "h2"} {
		c.answers(host, web.address(4).String()+":8080", "web")
		c.answers(host, far.address(4).String()+":8080", "far")
		c.answers(host, service.String()+":80", "web", "far")
		c.answers(host, nodes["h1"]+":8088", "web")
		for _, node := range nodes {
			c.answers(host, node+":30080", "web", "far")
		}
	}
	client.connects(true, netip.MustParseAddr("10.96.0.1"), 443)
	c.apply(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "kept", "namespace": "default"},
		"spec": {"type": "NodePort", "externalTrafficPolicy": "Local", "selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080, "nodePort": 30081}]}}`)
	c.eventually("a node port that stays on its host shows the backend its client", func() error {
		out, err := c.on("h2", "curl -sS --max-time 2 http://"+nodes["h1"]+":30081/clientip")
		if err != nil || !strings.HasPrefix(out, nodes["h2"]+":") {
			return fmt.Errorf("it says %q (%v), want %s", out, err, nodes["h2"])
		}
		return nil
	})

	web.remove()
	c.eventually("only the backend that is left answers", func() error {
		for range 10 {
			if got, err := client.asks(service, 80, "/hostname"); err != nil || got != "far" {
				return fmt.Errorf("it answers %q (%v)", got, err)
			}
		}
		return nil
	})
	c.eventually("within the cluster the node port of a node without a backend leads to any", func() error {
		if got, err := client.asks(netip.MustParseAddr(nodes["h1"]), 30081, "/hostname"); err != nil || got != "far" {
			return fmt.Errorf("to a pod it says %q (%v)", got, err)
		}
		if got, err := c.on("h1", "curl -sS --max-time 2 http://"+nodes["h1"]+":30081/hostname"); err != nil || got != "far" {
			return fmt.Errorf("to a process of the node it says %q (%v)", got, err)
		}
		return nil
	})
	if out, err := c.on("h2", "curl -sS --max-time 2 http://"+nodes["h1"]+":30081/hostname"); err == nil {
		t.Errorf("to another node, which is outside, it says %q, want nothing", out)
	}
	far.remove()
	c.eventually("a service without backends refuses", func() error {
		out, err := client.asks(service, 80, "/hostname") // curl(1): 7, failed to connect; 28 would be its patience
		if err == nil || !strings.Contains(err.Error(), "exit status 7") {
			return fmt.Errorf("it says %q (%v)", out, err)
		}
		return nil
	})
}

// A service of type LoadBalancer gets an address of the network that it names, which its source ranges guard; hosts report whether they
// have a backend of it. Clients of a service without backends are refused everywhere.
func TestLoadBalancer(t *testing.T) {
	c := start(t, lab.Plan{Name: "kbal"})
	web := c.create(pod{name: "web", host: "h1", labels: "app=web", serves: 8080})
	inside, outside := c.create(pod{name: "inside", host: "h2"}), c.create(pod{name: "outside", host: "h2"})
	for _, p := range []*running{web, inside, outside} {
		p.ready()
	}
	c.apply(fmt.Sprintf(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "shop", "namespace": "default", "annotations": {"io.contiv.network": "default-net"}},
		"spec": {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "selector": {"app": "web"}, "loadBalancerSourceRanges": ["%s/32"],
		"ports": [{"port": 80, "targetPort": 8080}]}}`, inside.address(4)))
	c.apply(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "none", "namespace": "default", "annotations": {"io.contiv.network": "nowhere"}},
		"spec": {"type": "LoadBalancer", "selector": {"app": "none"}, "ports": [{"port": 80, "nodePort": 30099}]}}`)
	of := func(service, path string) string {
		return c.kubectl("get", "service", service, "-o", "jsonpath={"+path+"}")
	}
	c.eventually("the service has an address", func() error {
		if of("shop", ".status.loadBalancer.ingress[0].ip") == "" {
			return fmt.Errorf("its status is %s", of("shop", ".status"))
		}
		return nil
	})
	address := netip.MustParseAddr(of("shop", ".status.loadBalancer.ingress[0].ip"))
	inside.connects(true, address, 80)
	outside.connects(false, address, 80)
	health := of("shop", ".spec.healthCheckNodePort")
	for host, want := range map[string]string{"h1": "200", "h2": "503"} {
		c.eventually("the health of "+host, func() error {
			out, err := c.on(host, "curl -sS --max-time 2 -o /dev/null -w '%{http_code}' http://"+c.node(host)+":"+health+"/healthz")
			if err != nil || out != want {
				return fmt.Errorf("it says %q (%v), want %s", out, err, want)
			}
			return nil
		})
	}
	c.eventually("missing objects are reported", func() error {
		if got := of("none", ".status.conditions[0].message"); !strings.Contains(got, "network default:nowhere not found") {
			return fmt.Errorf("its condition says %q", got)
		}
		return nil
	})
	for _, at := range []string{of("none", ".spec.clusterIP") + ":80", c.node("h1") + ":30099"} {
		for _, host := range []string{"h1", "h2"} {
			c.eventually(host+" is refused at "+at, func() error {
				out, err := c.on(host, "curl -sS --max-time 3 http://"+at+"/") // curl(1): 7, failed to connect; 28 would be its patience
				if err == nil || !strings.Contains(err.Error(), "exit status 7") {
					return fmt.Errorf("it says %q (%v)", out, err)
				}
				return nil
			})
		}
	}
	c.kubectl("delete", "service", "shop")
	c.eventually("the address is free", func() error {
		if out, err := c.on("h1", "curl -sS --max-time 1 http://"+c.node("h1")+":"+health+"/"); err == nil {
			return fmt.Errorf("its port says %q", out)
		}
		return nil
	})
}

// node is the IPv4 address of a host among Kubernetes' nodes.
func (c *cluster) node(host string) string {
	c.t.Helper()
	first, _, _ := strings.Cut(c.kubectl("get", "node", host, "-o", `jsonpath={.status.addresses[?(@.type=="InternalIP")].address}`), " ")
	return first
}

// answers waits until one of some pods answers a host at an address with a port.
func (c *cluster) answers(host, at string, names ...string) {
	c.t.Helper()
	c.eventually(fmt.Sprintf("%s is answered at %s by %v", host, at, names), func() error {
		out, err := c.on(host, "curl -sS --max-time 2 http://"+at+"/hostname")
		for _, name := range names {
			if err == nil && out == name {
				return nil
			}
		}
		return fmt.Errorf("it says %q (%v)", out, err)
	})
}

// SPDX-License-Identifier: Apache-2.0

package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/lab"
)

// pod is a pod of lab.AgnhostImage to be made. Kubernetes sets the empty fields.
type pod struct {
	name, namespace string
	host            string
	labels          string // KEY=VALUE,...
	serves          int    // port of HTTP (/hostname, /clientip), and of UDP one above; 0: it only waits
	hostNetwork     bool
	annotations     map[string]string
	more            map[string]any // further fields of the container, such as readinessProbe and ports
}

// manifest is the pod as Kubernetes wants it.
func (p pod) manifest() map[string]any {
	labels := map[string]string{}
	for word := range strings.SplitSeq(p.labels, ",") {
		if k, v, ok := strings.Cut(word, "="); ok {
			labels[k] = v
		}
	}
	args := []string{"pause"}
	if p.serves > 0 {
		args = []string{"netexec", "--http-port=" + strconv.Itoa(p.serves), "--udp-port=" + strconv.Itoa(p.serves+1)}
	}
	container := map[string]any{"name": "c", "image": lab.AgnhostImage, "args": args}
	for k, v := range p.more {
		container[k] = v
	}
	// With a grace of none, pods would be gone for the API server before their networks are.
	spec := map[string]any{"containers": []any{container}, "terminationGracePeriodSeconds": 1}
	if p.host != "" {
		spec["nodeName"] = p.host
	}
	if p.hostNetwork {
		spec["hostNetwork"] = true
	}
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "spec": spec,
		"metadata": map[string]any{"name": p.name, "namespace": p.namespace, "labels": labels, "annotations": p.annotations}}
}

// running is a pod of the cluster.
type running struct {
	c               *cluster
	namespace, name string
	addresses       []netip.Addr
}

// create makes a pod and does not wait for it.
func (c *cluster) create(p pod) *running {
	c.t.Helper()
	if p.namespace == "" {
		p.namespace = "default"
	}
	text, err := json.Marshal(p.manifest())
	if err != nil {
		c.t.Fatal(err)
	}
	c.apply(string(text))
	return &running{c: c, namespace: p.namespace, name: p.name}
}

// run makes a pod and waits until it is ready.
func (c *cluster) run(p pod) *running {
	c.t.Helper()
	r := c.create(p)
	r.ready()
	return r
}

// ready waits until the pod is, and learns its addresses.
func (r *running) ready() {
	r.c.t.Helper()
	r.c.kubectl("wait", "--for=condition=Ready", "--timeout="+patience.String(), "--namespace", r.namespace, "pod/"+r.name)
	r.addresses = nil
	for text := range strings.FieldsSeq(r.get("{.status.podIPs[*].ip}")) {
		r.addresses = append(r.addresses, netip.MustParseAddr(text))
	}
}

// get is a part of the pod's object, by a JSONPath.
func (r *running) get(path string) string {
	r.c.t.Helper()
	return r.c.kubectl("get", "pod", r.name, "--namespace", r.namespace, "-o", "jsonpath="+path)
}

// address is the pod's address of IP version 4 or 6.
func (r *running) address(version int) netip.Addr {
	r.c.t.Helper()
	i := slices.IndexFunc(r.addresses, func(a netip.Addr) bool { return a.Is4() == (version == 4) })
	if i < 0 {
		r.c.t.Fatalf("pod %s has no IPv%d address: %v", r.name, version, r.addresses)
	}
	return r.addresses[i]
}

// exec runs a command in the pod and returns what it prints.
func (r *running) exec(args ...string) (string, error) {
	r.c.t.Helper()
	return r.c.try(append([]string{"exec", "--namespace", r.namespace, r.name, "--"}, args...)...)
}

// remove deletes the pod and waits until it is gone.
func (r *running) remove() {
	r.c.t.Helper()
	r.c.kubectl("delete", "pod", r.name, "--namespace", r.namespace, "--wait", "--timeout="+patience.String())
}

// asks asks an HTTP server of agnhost from the pod, and returns its answer.
func (r *running) asks(address netip.Addr, port int, path string) (string, error) {
	r.c.t.Helper()
	return r.exec("curl", "-sS", "--max-time", "3", "http://"+net.JoinHostPort(address.String(), strconv.Itoa(port))+path)
}

// connects waits until the pod can open TCP connections to an address, or until it cannot.
func (r *running) connects(want bool, address netip.Addr, port int) {
	r.c.t.Helper()
	at := net.JoinHostPort(address.String(), strconv.Itoa(port))
	r.c.eventually(fmt.Sprintf("%s connects to %s: %v", r.name, at, want), func() error {
		out, err := r.exec("/agnhost", "connect", at, "--timeout=1s", "--protocol=tcp")
		if (err == nil) == want {
			return nil
		}
		return fmt.Errorf("it says %q (%v)", out, err)
	})
}

// pings waits until the pod gets answers to its pings from an address, or until it does not.
func (r *running) pings(want bool, address netip.Addr) {
	r.c.t.Helper()
	r.c.eventually(fmt.Sprintf("%s pings %s: %v", r.name, address, want), func() error {
		out, err := r.exec("ping", "-c", "1", "-W", "1", address.String())
		if (err == nil) == want {
			return nil
		}
		return fmt.Errorf("it says %q (%v)", out, err)
	})
}

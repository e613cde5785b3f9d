// SPDX-License-Identifier: Apache-2.0

package kubernetes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/describe"
	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/kube"
)

// A cluster comes up, pods on both hosts get addresses and meet, and what they had is given back when they go.
func TestPods(t *testing.T) {
	c := start(t, lab.Plan{Name: "kpods"})
	for _, host := range []string{"h1", "h2"} {
		ready := c.kubectl("get", "node", host, "-o", `jsonpath={.status.conditions[?(@.type=="Ready")].status}`)
		if ready != "True" {
			t.Errorf("node %s: ready is %q", host, ready)
		}
		if out, err := c.on(host, "cat /proc/$(pidof ovs-vswitchd)/cgroup"); err != nil || !strings.Contains(out, "-"+host+"-switch") {
			t.Errorf("%s: control groups of the switch: %q (%v), want its own", host, out, err)
		}
	}
	c.namespace("shop", "team=a")
	web := c.create(pod{name: "web", host: "h1", labels: "app=web", serves: 8080})
	client := c.create(pod{name: "client", host: "h2"})
	near := c.create(pod{name: "near", namespace: "shop", host: "h1"})
	for _, p := range []*running{web, client, near} {
		p.ready()
	}
	for _, from := range []*running{client, near} {
		for _, version := range []int{4, 6} {
			from.pings(true, web.address(version))
			from.connects(true, web.address(version), 8080)
		}
	}
	if got, err := client.asks(web.address(4), 8080, "/clientip"); err != nil || !strings.HasPrefix(got, client.address(4).String()+":") {
		t.Errorf("web sees the client as %q (%v), want %s", got, err, client.address(4))
	}
	if got, err := client.exec("bash", "-c", "echo $0 | cat"); err != nil || got != "bash" {
		t.Errorf("a pipe of bash: %q (%v)", got, err)
	}
	// The console's shell in a pod, without a terminal here.
	words := describe.Shell("shop/near", "", "h1", "h2")
	if got, err := c.feed("cat /proc/sys/kernel/hostname; exit\n", words[1:]...); err != nil || words[0] != "kubectl" || got != "near" {
		t.Errorf("%s: want the pod's shell, got %q, %v", strings.Join(words, " "), got, err)
	}

	if n := len(c.endpoints()); n != 3 {
		t.Errorf("%d endpoints, want 3", n)
	}
	for _, p := range []*running{web, client, near} {
		p.remove()
	}
	c.eventually("no endpoint", func() error {
		if left := c.endpoints(); len(left) > 0 {
			return fmt.Errorf("left are %v", left)
		}
		return nil
	})
}

// endpoints are the names of the endpoints that netmaster knows.
func (c *cluster) endpoints() []string {
	c.t.Helper()
	return strings.Fields(c.netctl("endpoint", "ls", "--output", "name"))
}

// Parts of a cluster are killed and come back, and pods talk on; pods are made and removed again afterwards.
func TestKills(t *testing.T) {
	c := start(t, lab.Plan{Name: "kkills"})
	web := c.run(pod{name: "web", host: "h1", serves: 8080})
	client := c.run(pod{name: "client", host: "h2"})
	for i, k := range []struct{ host, part string }{
		{"h1", kube.Kubelet}, {"h2", lab.PartContainerd}, {"h1", kube.APIServer}, {"h1", kube.Etcd}, {"h1", kube.Controllers}, {"h1", kube.Scheduler},
		{"h1", lab.PartAgent}, {"h1", lab.PartMaster},
	} {
		p := client.pinging(web.address(4))
		c.restart(k.host, k.part)
		if got := p.ends(); len(got.Lost) > 0 {
			t.Errorf("lost while %s of %s was killed: %v (%v)", k.part, k.host, got, got.Lost)
		}
		fresh := c.run(pod{name: fmt.Sprint("fresh", i), host: k.host})
		fresh.connects(true, web.address(4), 8080)
		fresh.remove()
	}
	if n := len(c.endpoints()); n != 2 {
		t.Errorf("%d endpoints, want 2", n)
	}

	// A containerd that is killed as it writes a result of its CNI library leaves it empty, and cannot delete the pod with it.
	if out, err := c.on("h1", "truncate -s 0 /var/lib/cni/results/contiv-*"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	web.remove()
}

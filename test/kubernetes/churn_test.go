// SPDX-License-Identifier: Apache-2.0

package kubernetes_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/kube"
)

// churn is how many pods come and go in TestChurn.
var churn = flag.Int("churn", 24, "`number` of pods that come and go in TestChurn")

// On two hosts pods are created and deleted, with a service, published ports and a policy, while agents, the leader, the API server,
// kubelets and containerds are killed, one after the other. Two pairs that stay hear each other all the time, since nothing that forwards
// was killed: on a VLAN not one packet is lost. Between the ends of tunnels Open vSwitch loses some on its userspace datapath, as it
// would with any flows: it forgets all routes for a moment, whenever an interface of the host comes or goes
// (docs/explanation/performance-packets.md). At the end nothing is left of all those that went.
func TestChurn(t *testing.T) {
	c := start(t, lab.Plan{Name: "kchurn"})
	c.netctl("network", "create", "--encap", "vlan", "--pkt-tag", "20", "--subnet", "10.42.0.0/16", "green")
	tunnel := []*running{c.create(pod{name: "tunnel1", host: "h1"}), c.create(pod{name: "tunnel2", host: "h2"})}
	vlan := []*running{c.create(pod{name: "vlan1", host: "h1", labels: "io.contiv.network=green"}), c.create(pod{name: "vlan2", host: "h2", labels: "io.contiv.network=green"})}
	var all []*pings
	for _, pair := range [][]*running{tunnel, vlan} {
		pair[0].ready()
		pair[1].ready()
		pair[0].pings(true, pair[1].address(4))
		all = append(all, pair[0].pinging(pair[1].address(4)))
	}
	before := c.inventory()

	c.apply(churned)
	c.churn(*churn, []string{lab.PartAgent, kube.Kubelet, lab.PartMaster, lab.PartContainerd, kube.APIServer})
	c.kubectl("delete", "--ignore-not-found", "service/churned", "networkpolicy/churned")

	byTunnel, byVLAN := all[0].ends(), all[1].ends()
	t.Logf("lost by tunnel: %v; by VLAN: %v", byTunnel, byVLAN)
	if len(byVLAN.Lost) > 0 {
		t.Errorf("lost on a VLAN, while no switch was killed: %v", byVLAN)
	}
	if byTunnel.Longest() > 50 || len(byTunnel.Lost) > byTunnel.Sent/20 {
		t.Errorf("lost by a tunnel, while no switch was killed: %v; want at most 50 in a row, and one of twenty", byTunnel)
	}
	c.settles(before)
	for _, host := range []string{"h1", "h2"} {
		if out, err := c.tryNetctl("drift", host); err != nil {
			t.Errorf("drift of %s: %s (%v)", host, out, err)
		}
	}
	for _, r := range append(tunnel, vlan...) {
		r.remove()
	}
	c.eventually("no endpoint", func() error {
		if left := c.endpoints(); len(left) > 0 {
			return fmt.Errorf("left are %v", left)
		}
		return nil
	})
}

// churned are a service of the pods that come and go, and a policy that selects them.
const churned = `{"apiVersion": "v1", "kind": "List", "items": [
	{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "churned", "namespace": "default"},
		"spec": {"type": "NodePort", "selector": {"churned": "yes"}, "ports": [{"port": 80, "targetPort": 8080}]}},
	{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "churned", "namespace": "default"},
		"spec": {"podSelector": {"matchLabels": {"churned": "yes"}}, "ingress": [{"ports": [{"port": 8080}]}]}}]}`

// Pods come in batches, of which each host has two at a time. With 25 in each, on two processors, a containerd that was killed had not
// found its pods again when it was killed the next time; with 8, an API server had not read its objects.
const (
	batches   = 2
	batchMost = 4
)

// stepTimeout is how long a batch may take to be made, to be ready, or to be gone.
const stepTimeout = 6 * time.Minute

// churn makes and removes n pods on both hosts, or more, until each part of each host has been killed and started.
func (c *cluster) churn(n int, parts []string) {
	c.t.Helper()
	ctx, stop := context.WithCancel(c.t.Context())
	var kills, work sync.WaitGroup
	var made, gone, failed, killed atomic.Int64
	kills.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			c.killed(ctx, fmt.Sprint("h", 1+i%2), parts[i/2%len(parts)])
			killed.Add(1)
		}
	})
	size := min(batchMost, max(2, n/(4*batches)))
	for i := range 2 * batches {
		work.Go(func() {
			for {
				first := int(made.Add(int64(size))) - size
				if first >= n && int(killed.Load()) >= 2*len(parts) || c.t.Failed() {
					return
				}
				failed.Add(c.comesAndGoes(fmt.Sprint("h", 1+i%2), first, size))
				gone.Add(int64(size))
			}
		})
	}
	work.Wait()
	stop()
	kills.Wait()
	c.t.Logf("%d pods came and went, %d at a time, under %d kills of %v; %d commands failed meanwhile and were repeated", gone.Load(), 2*batches*size, killed.Load(), parts, failed.Load())
}

// killed kills a part of a host, and starts it a moment later. The one netmaster and the one API server are the first host's.
func (c *cluster) killed(ctx context.Context, host, part string) {
	if part == lab.PartMaster || part == kube.APIServer {
		host = "h1"
	}
	if err := c.Kill(host, part); err != nil {
		c.t.Errorf("kill %s on %s: %v", part, host, err)
	}
	time.Sleep(rand.N(time.Second))
	if err := c.Start(context.WithoutCancel(ctx), host, part); err != nil {
		c.t.Errorf("start %s on %s: %v", part, host, err)
	}
	select {
	case <-time.After(2 * time.Second):
	case <-ctx.Done():
	}
}

// comesAndGoes makes pods on a host, each third of which has a port published, waits until they are ready, and removes them, however
// often that fails, and returns the number of failures.
func (c *cluster) comesAndGoes(host string, first, n int) (failed int64) {
	label := fmt.Sprint("batch=", first)
	list := map[string]any{"apiVersion": "v1", "kind": "List"}
	var items []any
	for i := first; i < first+n; i++ {
		p := pod{name: fmt.Sprint("c", i), namespace: "default", host: host, labels: "churned=yes," + label, serves: 8080}
		if i%3 == 0 {
			p.more = map[string]any{"ports": []any{map[string]any{"containerPort": 8080, "hostPort": 20000 + i}}}
		}
		items = append(items, p.manifest())
	}
	list["items"] = items
	text, err := json.Marshal(list)
	if err != nil {
		c.t.Error(err)
		return 0
	}
	for _, step := range []struct {
		input string
		args  []string
	}{
		{string(text), []string{"apply", "-f", "-"}},
		{"", []string{"wait", "--for=condition=Ready", "--timeout=30s", "pod", "-l", label}},
		{"", []string{"delete", "pod", "--ignore-not-found", "--timeout=60s", "-l", label}},
	} {
		for last := time.Now().Add(stepTimeout); ; failed++ {
			_, err := c.feed(step.input, step.args...)
			if err == nil {
				break
			}
			if time.Now().After(last) {
				c.t.Errorf("%s: kubectl %v: %v", host, step.args, err)
				break // pods that are not ready go nevertheless
			}
			time.Sleep(500 * time.Millisecond)
		}
	}
	return failed
}

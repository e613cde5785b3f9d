// SPDX-License-Identifier: Apache-2.0

package classify

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/contiv/contiv/netpolicy"
)

// policyOf is policy i of 1,000: in one of 50 namespaces it lets pods with one of 20 labels receive from two others and from a namespace.
func policyOf(i int) *netpolicy.Policy {
	app := func(n int) netpolicy.Selector {
		return netpolicy.NewSelector(netpolicy.Requirement{Key: "app", Operator: netpolicy.In, Values: []string{fmt.Sprint("app", n%20)}})
	}
	p := &netpolicy.Policy{Pods: app(i / 50), Ingress: netpolicy.Direction{Isolates: true, Rules: []netpolicy.Rule{
		{Number: 1, Peers: []netpolicy.Peer{{Own: true, Pods: app(i/50 + 1)}, {Own: true, Pods: app(i/50 + 2)}}, Ports: []netpolicy.Port{{Protocol: 6, First: 80, Last: 80}}},
		{Number: 2, Peers: []netpolicy.Peer{{Namespaces: netpolicy.NewSelector(netpolicy.Requirement{Key: "name", Operator: netpolicy.In, Values: []string{fmt.Sprint("ns", (i+7)%50)}}), Pods: app(i / 50)}}},
	}}}
	p.ID.Namespace, p.ID.Name = fmt.Sprint("ns", i%50), fmt.Sprint("p", i)
	return p
}

// podOf is pod i of 5,000, of which every fiftieth is here.
func podOf(i int) Pod {
	return Pod{ID: fmt.Sprint("e", i), Namespace: fmt.Sprint("ns", i%50), Labels: map[string]string{"app": fmt.Sprint("app", i/50%20), "pod-template-hash": "5d4f8c7b6", "version": fmt.Sprint("v", i%3)},
		Tenant: "t", Here: i%50 == i/50%50}
}

func crowd(policies, pods int) *Classes {
	c := New()
	for n := range 50 {
		c.SetNamespace(fmt.Sprint("ns", n), map[string]string{"name": fmt.Sprint("ns", n)})
	}
	for i := range pods {
		c.SetPod(podOf(i))
	}
	for i := range policies {
		c.SetNetworkPolicy(policyOf(i))
	}
	return c
}

// compiled compiles what has changed.
func (c *Classes) compiled() (rules int) {
	for name := range c.Changes().Policies {
		for _, p := range c.Policies(name) {
			rules += len(p.Rules)
		}
	}
	return rules
}

// BenchmarkFromNothing has 1,000 policies and 5,000 pods, 100 of them here.
func BenchmarkFromNothing(b *testing.B) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var c *Classes
	for b.Loop() {
		c = crowd(1000, 5000)
		if c.compiled() == 0 {
			b.Fatal("want rules, got none")
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB")
	b.ReportMetric(float64(len(c.classes)), "classes")
}

// BenchmarkPodElsewhere has one pod more on another host, and fewer again.
func BenchmarkPodElsewhere(b *testing.B) {
	c := crowd(1000, 5000)
	c.compiled()
	for b.Loop() {
		p := podOf(5001)
		p.Here = false
		c.SetPod(p)
		c.compiled()
		c.RemovePod(p.ID)
		c.compiled()
	}
}

// BenchmarkPolicyMore has one policy more, and fewer again.
func BenchmarkPolicyMore(b *testing.B) {
	c := crowd(1000, 5000)
	c.compiled()
	for b.Loop() {
		p := policyOf(1)
		p.ID.Name = "another"
		p.Pods = nil
		c.SetNetworkPolicy(p)
		c.compiled()
		c.RemovePolicy(p.ID.String())
		c.compiled()
	}
}

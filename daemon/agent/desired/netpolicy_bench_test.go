// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"runtime"
	"testing"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/pipeline"
)

func itemOf(key string, v any) channel.Item {
	value, _ := json.Marshal(v)
	return channel.Item{Key: key, Value: value}
}

// podNumber is pod i, on one of 50 hosts.
func podNumber(i int) channel.Item {
	if i%50 == i/50%50 {
		return podOf(i, "h1")
	}
	return podOf(i, fmt.Sprint("h", 2+i%49))
}

// podOf is pod i on a host: each of 50 namespaces has pods with 20 labels.
func podOf(i int, host string) channel.Item {
	e := record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: "blue", Name: "net"}, Endpoint: fmt.Sprint("c", i)}, Host: host,
		IP: netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}), MAC: record.MAC{2, 2, 10, 1, byte(i >> 8), byte(i)}, VTEP: netip.AddrFrom4([4]byte{192, 0, 2, byte(2 + i%49)}),
		Labels: map[string]string{"app": fmt.Sprint("app", i/50%20), "pod-template-hash": "5d4f8c7b6"}}
	e.Pod.ID = identity.Pod{Namespace: fmt.Sprint("ns", i%50), Name: fmt.Sprint("p", i)}
	return itemOf(record.Endpoints+e.ID.String(), e)
}

// netPolicyNumber is policy i: pods with one of the labels receive from two others of their namespace, and from those with it in another.
func netPolicyNumber(i int) channel.Item {
	app := func(n int) netpolicy.Selector {
		return netpolicy.NewSelector(netpolicy.Requirement{Key: "app", Operator: netpolicy.In, Values: []string{fmt.Sprint("app", n%20)}})
	}
	other := netpolicy.NewSelector(netpolicy.Requirement{Key: "name", Operator: netpolicy.In, Values: []string{fmt.Sprint("ns", (i+7)%50)}})
	p := netpolicy.Policy{ID: identity.NetworkPolicy{Namespace: fmt.Sprint("ns", i%50), Name: fmt.Sprint("p", i)}, Pods: app(i / 50), Ingress: netpolicy.Direction{Isolates: true,
		Rules: []netpolicy.Rule{{Number: 1, Peers: []netpolicy.Peer{{Own: true, Pods: app(i/50 + 1)}, {Own: true, Pods: app(i/50 + 2)}},
			Ports: []netpolicy.Port{{Protocol: 6, First: 80, Last: 80}}}, {Number: 2, Peers: []netpolicy.Peer{{Namespaces: other, Pods: app(i / 50)}}}}}}
	return itemOf(record.NetworkPolicies+p.ID.String(), p)
}

func podsAndNetPolicies(pods, policies int) (items []channel.Item) {
	blue := network("net", "blue", 100)
	blue.Subnet = netip.MustParsePrefix("10.1.0.0/16")
	items = append(items, itemOf(record.Tenants+"blue", tenant("blue", 1)), itemOf(record.Networks+blue.ID.String(), blue))
	for n := range 50 {
		name := fmt.Sprint("ns", n)
		items = append(items, itemOf(record.Namespaces+name, record.Namespace{Name: name, UID: "u", Labels: map[string]string{"name": name}}))
	}
	for i := range pods {
		items = append(items, podNumber(i))
	}
	for i := range policies {
		items = append(items, netPolicyNumber(i))
	}
	return items
}

// BenchmarkNetPolicies applies 1,000 policies and 5,000 pods, 100 of them here, from decoded records until their flows are there. The cost
// of pods without policies is reported separately.
func BenchmarkNetPolicies(b *testing.B) {
	for _, policies := range []int{0, 1000} {
		b.Run(fmt.Sprint("policies=", policies), func(b *testing.B) {
			p := pipeline.Default()
			r := newRecords("h1")
			for _, item := range podsAndNetPolicies(5000, policies) {
				if err := r.put(item); err != nil {
					b.Fatal(err)
				}
			}
			var before, after runtime.MemStats
			flows := 0
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
				s := ofnet.NewState("h1")
				s.Local = ofnet.Ports{Tunnel: 1000}
				r.net.classes = newNetPolicies().classes
				r.translate(newRecords("h1"), s)
				flows = len(p.CompileAll(s).Flows)
				runtime.GC()
				runtime.ReadMemStats(&after)
				runtime.KeepAlive(s)
			}
			b.ReportMetric(float64(flows), "flows")
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB-held")
		})
	}
}

// BenchmarkOneOfManyNetPolicies takes in a policy, and a pod elsewhere, more, each with what of the flows follows, and takes them away.
func BenchmarkOneOfManyNetPolicies(b *testing.B) {
	for name, item := range map[string]channel.Item{"policy": netPolicyNumber(1000), "pod elsewhere": podNumber(5001)} {
		b.Run(name, func(b *testing.B) {
			r, s, p := newRecords("h1"), ofnet.NewState("h1"), pipeline.Default()
			s.Local = ofnet.Ports{Tunnel: 1000}
			for _, i := range podsAndNetPolicies(5000, 1000) {
				if err := r.put(i); err != nil {
					b.Fatal(err)
				}
			}
			r.translate(newRecords("h1"), s)
			flows := 0
			for b.Loop() {
				for _, change := range []func(){func() { _ = r.put(item) }, func() { r.del(item.Key) }} {
					given, before := r.clone(), s.Clone()
					change()
					r.translate(given, s)
					owners := map[ofnet.Key]struct{}{}
					p.Affected(before, s, func(k ofnet.Key) { owners[k] = struct{}{} })
					for k := range owners {
						flows += len(p.Compile(s, k).Flows)
					}
				}
			}
			b.ReportMetric(float64(flows)/float64(b.N), "flows/op")
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/daemon/agent/classify"
	"github.com/contiv/contiv/daemon/agent/classify/classifytest"
	"github.com/contiv/contiv/daemon/kubeview"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ofnettest"
)

// kubernetes is what a model knows of pods and of the policies about them; nil in one without.
type kubernetes struct {
	pods     map[string]*verdict.Pod // by endpoint
	policies *verdict.NetworkPolicies
}

// end is an endpoint, or nil, as policies see it.
func (k *kubernetes) end(e *ofnet.Endpoint, a netip.Addr) verdict.End {
	if e == nil {
		return verdict.End{Addr: a}
	}
	return verdict.End{Pod: k.pods[e.ID], Addr: a}
}

// permits asks the policies of one end about a frame.
func (v *visit) permits(d ofnet.Direction, from, to *ofnet.Endpoint) bool {
	if v.kubernetes == nil {
		return true
	}
	t := verdict.Traffic{Protocol: map[string]int{"udp": 17, "tcp": 6, "ping": 1, "gre": 47, "sctp": 132}[v.f.kind]}
	if slices.Contains([]int{verdict.TCP, verdict.UDP, verdict.SCTP}, t.Protocol) {
		t.Port = int(v.f.destination())
	}
	said := v.policies.Packet(v.end(from, v.f.from), v.end(to, v.f.to), t)
	if d == ofnet.In {
		return said.In.Allowed
	}
	return said.Out.Allowed
}

// podsAndPolicies makes pods of a tenant's endpoints, and policies about them: for the model as they are meant, and as lines of the State
// that follows from them.
func podsAndPolicies(t *testing.T, seed uint64, base, tenant string, policies, clusters int) (*kubernetes, string) {
	t.Helper()
	prefix := netip.MustParsePrefix
	chance := classifytest.Chance{Rand: rand.New(rand.NewPCG(seed, 7)), Prefixes: []netip.Prefix{prefix("10.0.0.0/8"), prefix("10.1.0.0/24"), prefix("10.1.0.0/30"), prefix("10.2.0.0/16"),
		prefix("10.2.0.200/29"), prefix("0.0.0.0/0"), prefix("8.0.0.0/8"), prefix("fd01::/64"), prefix("fd00::/8"), prefix("fd02::4/126")}}
	state := ofnettest.Parse(t, base)
	k, classes, namespaces := &kubernetes{pods: map[string]*verdict.Pod{}}, classify.New(), map[string]map[string]string{}
	for _, name := range classifytest.Spaces() {
		namespaces[name] = chance.Labels()
		classes.SetNamespace(name, namespaces[name])
	}
	var meant []*netpolicy.Policy
	for i := range policies {
		p := chance.NetworkPolicy(i)
		classes.SetNetworkPolicy(p)
		meant = append(meant, p)
	}
	var ofCluster []*netpolicy.ClusterPolicy
	for i := range clusters {
		p := chance.ClusterPolicy(i)
		classes.SetClusterPolicy(p)
		ofCluster = append(ofCluster, p)
	}
	k.policies = verdict.NewNetworkPolicies(namespaces, meant, ofCluster)
	for _, id := range ids(state) {
		e := state.Endpoints.Get(id)
		if state.Segments.Get(e.Segment).Tenant != tenant {
			continue
		}
		p := record.Endpoint{Labels: chance.Labels(), Pod: record.Pod{ID: identity.Pod{Namespace: classifytest.Spaces()[chance.IntN(3)], Name: id}, Ports: chance.Ports()}}
		k.pods[id] = kubeview.VerdictPod(&p)
		classes.SetPod(classify.Pod{ID: id, Namespace: p.Pod.ID.Namespace, Labels: p.Labels, Ports: p.Pod.Ports, Tenant: tenant, Here: e.Host == state.Self})
	}
	return k, linesOf(state, classes, tenant)
}

// linesOf is what follows from classes, as ofnettest.Parse reads it.
func linesOf(state *ofnet.State, classes *classify.Classes, tenant string) string {
	var out strings.Builder
	for id := range classes.Changes().Policies {
		for _, p := range classes.Policies(id) {
			writePolicy(&out, p)
		}
	}
	for _, id := range ids(state) {
		e := state.Endpoints.Get(id)
		class, isolated := classes.Class(id)
		fmt.Fprintf(&out, "endpoint %s network=%s group=%s host=%s port=%d mac=%s class=%d", id, e.Segment, e.Group, e.Host, e.Port, hex(e.MAC), class)
		for k, a := range map[string]netip.Addr{"ip": e.IP4, "ip6": e.IP6} {
			if a.IsValid() {
				fmt.Fprintf(&out, " %s=%s", k, a)
			}
		}
		fmt.Fprintf(&out, " isolated=%s\n", map[ofnet.Direction]string{0: "", ofnet.In: "in", ofnet.Out: "out", ofnet.Both: "in,out"}[isolated])
	}
	if j := classes.Judgement(tenant); j != nil {
		fmt.Fprintf(&out, "judgement %s sum=%d\n", tenant, uint32(j.Sum))
	}
	return out.String()
}

func writePolicy(out *strings.Builder, p *ofnet.ClassPolicy) {
	list := func(name string, n int, text func(i int) string) {
		if n == 0 {
			return
		}
		var words []string
		for i := range n {
			words = append(words, text(i))
		}
		fmt.Fprintf(out, " %s=%s", name, strings.Join(words, ","))
	}
	for _, r := range p.Rules {
		fmt.Fprintf(out, "classrule %s %s %s stage=%s priority=%d place=%d", p.Name, p.Direction, map[ofnet.ClassAction]string{ofnet.Accept: "accept", ofnet.Deny: "deny", ofnet.Pass: "pass"}[r.Action],
			p.Stage, p.Priority, r.Place)
		list("subjects", len(r.Subjects), func(i int) string { return fmt.Sprint(r.Subjects[i]) })
		list("peers", len(r.Peers), func(i int) string { return fmt.Sprint(r.Peers[i]) })
		list("prefixes", len(r.Prefixes), func(i int) string { return r.Prefixes[i].String() })
		list("ports", len(r.Ports), func(i int) string {
			protocol := map[uint8]string{6: "tcp", 17: "udp", 132: "sctp"}[r.Ports[i].Protocol]
			return fmt.Sprintf("%s:%d-%d", protocol, r.Ports[i].First, r.Ports[i].Last)
		})
		if r.Anyone {
			out.WriteString(" anyone")
		}
		out.WriteString("\n")
	}
}

// TestNetworkPolicyVerdicts compares what network policies of Kubernetes mean, the switch's own account of itself and real packets over
// first packets of connections, under policies of all sorts beside rules of groups: pods here, behind tunnels and behind the uplink, and
// others outside; IPv4 and IPv6; TCP, UDP, SCTP, ICMP and others.
func TestNetworkPolicyVerdicts(t *testing.T) {
	base, err := os.ReadFile("testdata/state.txt")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(2) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		rules := someRules(rnd, 8)
		k, lines := podsAndPolicies(t, seed, string(base)+policyState, "blue", 12, 6)
		l := newLab(t, policyState+rules+lines)
		w := newWires(t, l)
		w.kubernetes = k
		compareVerdicts(t, w, l, (&inspector{model: w.model, rnd: rnd, port: 10000}).questions(), fmt.Sprintf("seed %d", seed))
	}
}

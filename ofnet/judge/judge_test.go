// SPDX-License-Identifier: Apache-2.0

package judge_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
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
	"github.com/contiv/contiv/ofnet/judge"
	"github.com/contiv/contiv/ofnet/ofnettest"
)

const state = `
self h1
host h1 vtep=192.168.251.1
host h2 vtep=192.168.251.2
tenant blue id=1
network blue:a id=101 vxlan=5001 bridge proxy net=10.1.0.0/16 first=10.1.0.1 last=10.1.0.9 gw=10.1.0.254 net6=fd01::/64
group blue:web id=1
group blue:db id=2
endpoint w network=blue:a group=blue:web host=h1 port=1 mac=02:02:0a:01:00:01 ip=10.1.0.1 ip6=fd01::1
endpoint d network=blue:a group=blue:db host=h1 port=2 mac=02:02:0a:01:00:02 ip=10.1.0.2 ip6=fd01::2
endpoint n network=blue:a host=h1 port=3 mac=02:02:0a:01:00:03 ip=10.1.0.3
endpoint o network=blue:a group=blue:web host=h2 mac=02:02:0a:01:01:04 ip=10.1.1.4
`

// ask evaluates both sides: "allowed" or "denied", and the key that decides.
func ask(s *ofnet.State, from, to string, protocol uint8, port uint16, six bool) string {
	a, b := s.Endpoints.Get(from), s.Endpoints.Get(to)
	p := judge.Packet{Src: a.IP4, Dst: b.IP4, Protocol: protocol, Port: port}
	if six {
		p.Src, p.Dst = a.IP6, b.IP6
	}
	v := judge.Sent(s, a, b, p)
	if v.Allowed {
		if in := judge.Received(s, a, b, p); !in.Allowed || in.By != (ofnet.Key{}) {
			v = in
		}
	}
	out := "allowed"
	if !v.Allowed {
		out = "denied"
	}
	if v.By != (ofnet.Key{}) {
		out += " " + v.By.String()
	}
	return out
}

// Rules count by priority, and of equal ones a denial; each field of a rule restricts it.
func TestRules(t *testing.T) {
	for _, row := range []struct {
		name, rules, from, to string
		protocol              uint8
		port                  uint16
		six                   bool
		want                  string
	}{
		{"no rule", "", "w", "d", 6, 80, false, "allowed"},
		{"a denial", "rule r group=blue:db in deny priority=1", "w", "d", 6, 80, false, "denied rule/"},
		{"of the sender", "rule r group=blue:web out deny priority=1", "w", "d", 6, 80, false, "denied rule/"},
		{"of the sender, in the other direction", "rule r group=blue:web in deny priority=1", "w", "d", 6, 80, false, "allowed"},
		{"a higher permission", "rule r group=blue:db in deny priority=1\nrule q group=blue:db in allow priority=2 proto=tcp ports=80", "w", "d", 6, 80, false, "allowed rule/"},
		{"another port", "rule r group=blue:db in deny priority=1\nrule q group=blue:db in allow priority=2 proto=tcp ports=80", "w", "d", 6, 81, false, "denied rule/"},
		{"another protocol", "rule r group=blue:db in deny priority=1\nrule q group=blue:db in allow priority=2 proto=tcp ports=80", "w", "d", 17, 80, false, "denied rule/"},
		{"an equal denial", "rule a group=blue:db in allow priority=2\nrule b group=blue:db in deny priority=2", "w", "d", 6, 80, false, "denied rule/"},
		{"a range", "rule r group=blue:db in deny priority=1 proto=udp ports=10-20", "w", "d", 17, 20, false, "denied rule/"},
		{"a group", "rule r group=blue:db in deny priority=1 peer=blue:web", "w", "d", 1, 0, false, "denied rule/"},
		{"another group", "rule r group=blue:db in deny priority=1 peer=blue:web", "n", "d", 1, 0, false, "allowed"},
		{"a missing group", "rule r group=blue:db in deny priority=1 peer=blue:app", "w", "d", 1, 0, false, "allowed"},
		{"a network", "rule r group=blue:db in deny priority=1 network=blue:a", "w", "d", 6, 1, false, "denied rule/"},
		{"beyond the range of a network", "rule r group=blue:db in deny priority=1 network=blue:a", "o", "d", 6, 1, false, "allowed"},
		{"a network in IPv6", "rule r group=blue:db in deny priority=1 network=blue:a", "w", "d", 6, 1, true, "denied rule/"},
		{"a missing network", "rule r group=blue:db in deny priority=1 network=blue:b", "w", "d", 6, 1, false, "allowed"},
		{"addresses", "rule r group=blue:db in deny priority=1 from=10.1.0.0/31", "w", "d", 6, 1, false, "denied rule/"},
		{"other addresses", "rule r group=blue:db in deny priority=1 from=10.1.0.2/31", "w", "d", 6, 1, false, "allowed"},
		{"own addresses", "rule r group=blue:db in deny priority=1 own=10.1.0.3/32", "w", "d", 6, 1, false, "allowed"},
		{"no group", "rule r group=blue:db in deny priority=1", "w", "n", 6, 1, false, "allowed"},
	} {
		s := ofnettest.Parse(t, state+row.rules)
		if got := ask(s, row.from, row.to, row.protocol, row.port, row.six); got != row.want && !strings.HasSuffix(row.want, "/") || !strings.HasPrefix(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

// Class policies have the meaning of the network policies of Kubernetes from which they follow, as api/verdict evaluates these.
func TestClasses(t *testing.T) {
	traffic := []verdict.Traffic{{Protocol: 6, Port: 53}, {Protocol: 6, Port: 80}, {Protocol: 6, Port: 443}, {Protocol: 6, Port: 1200}, {Protocol: 17, Port: 53}, {Protocol: 17, Port: 1500}, {Protocol: 132, Port: 80}, {Protocol: 1}}
	denied := 0
	for seed := range uint64(60) {
		w := newWorld(t, seed)
		for from, a := range w.pods {
			for to, b := range w.pods {
				if from == to {
					continue
				}
				for _, tr := range traffic {
					x, y := w.state.Endpoints.Get(from), w.state.Endpoints.Get(to)
					want := w.policies.Packet(verdict.End{Pod: a, Addr: x.IP4}, verdict.End{Pod: b, Addr: y.IP4}, tr)
					p := judge.Packet{Src: x.IP4, Dst: y.IP4, Protocol: uint8(tr.Protocol), Port: uint16(tr.Port)}
					out, in := judge.Sent(w.state, x, y, p), judge.Received(w.state, x, y, p)
					if out.Allowed != want.Out.Allowed || in.Allowed != want.In.Allowed {
						t.Fatalf("seed %d: %s to %s %s: got %v and %v, want %+v", seed, from, to, tr, out, in, want)
					}
					if !in.Allowed || !out.Allowed {
						denied++
					}
				}
			}
		}
	}
	if denied == 0 {
		t.Error("no policy denies anything")
	}
}

// world is pods with random policies, as they are meant and as a State has them.
type world struct {
	pods     map[string]*verdict.Pod // by endpoint
	policies *verdict.NetworkPolicies
	state    *ofnet.State
}

func newWorld(t *testing.T, seed uint64) *world {
	chance := classifytest.Chance{Rand: rand.New(rand.NewPCG(seed, 9)), Prefixes: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("10.1.0.0/24"), netip.MustParsePrefix("10.1.0.0/30"), netip.MustParsePrefix("0.0.0.0/0")}}
	w := &world{pods: map[string]*verdict.Pod{}, state: ofnettest.Parse(t, "self h1\nhost h1\ntenant blue id=1\nnetwork blue:a id=101 vxlan=5001 bridge proxy net=10.1.0.0/16\n")}
	classes, namespaces := classify.New(), map[string]map[string]string{}
	for _, name := range classifytest.Spaces() {
		namespaces[name] = chance.Labels()
		classes.SetNamespace(name, namespaces[name])
	}
	var namespaced []*netpolicy.Policy
	for i := range 6 {
		p := chance.NetworkPolicy(i)
		classes.SetNetworkPolicy(p)
		namespaced = append(namespaced, p)
	}
	var cluster []*netpolicy.ClusterPolicy
	for i := range 4 {
		p := chance.ClusterPolicy(i)
		classes.SetClusterPolicy(p)
		cluster = append(cluster, p)
	}
	w.policies = verdict.NewNetworkPolicies(namespaces, namespaced, cluster)
	for i := range 6 {
		id := fmt.Sprintf("blue:a:p%d", i)
		p := record.Endpoint{Labels: chance.Labels(), Pod: record.Pod{ID: identity.Pod{Namespace: classifytest.Spaces()[chance.IntN(3)], Name: id}, Ports: chance.Ports()}}
		w.pods[id] = kubeview.VerdictPod(&p)
		classes.SetPod(classify.Pod{ID: id, Namespace: p.Pod.ID.Namespace, Labels: p.Labels, Ports: p.Pod.Ports, Tenant: "blue", Here: true})
	}
	for id := range classes.Changes().Policies {
		for _, p := range classes.Policies(id) {
			w.state.SetClassPolicy(p)
		}
	}
	for i := range 6 {
		id := fmt.Sprintf("blue:a:p%d", i)
		class, isolated := classes.Class(id)
		w.state.Endpoints.Set(id, &ofnet.Endpoint{ID: id, Segment: "blue:a", Host: "h1", Port: uint32(i + 1), IP4: netip.AddrFrom4([4]byte{10, 1, 0, byte(i)}), Class: class, Isolated: isolated})
	}
	return w
}

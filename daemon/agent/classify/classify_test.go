// SPDX-License-Identifier: Apache-2.0

package classify_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/daemon/agent/classify"
	"github.com/contiv/contiv/daemon/agent/classify/classifytest"
	"github.com/contiv/contiv/daemon/kubeview"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
	"github.com/contiv/contiv/ofnet"
)

// cluster has the objects of a cluster, and the Classes that follow them.
type cluster struct {
	classifytest.Chance
	*classify.Classes
	namespaces map[string]*record.Namespace
	pods       map[string]classify.Pod
	policies   map[string]*netpolicy.Policy
	clusters   map[string]*netpolicy.ClusterPolicy
	known      view // what Changes have brought
}

// view is the state of a client that follows Changes.
type view struct {
	classes  map[string]string
	policies map[string][]*ofnet.ClassPolicy
	tenants  map[string]ofnet.Judgement
}

func newView() view {
	return view{map[string]string{}, map[string][]*ofnet.ClassPolicy{}, map[string]ofnet.Judgement{}}
}

func newCluster(seed uint64) *cluster {
	prefix := netip.MustParsePrefix
	return &cluster{Chance: classifytest.Chance{Rand: rand.New(rand.NewPCG(seed, 1)), Prefixes: []netip.Prefix{prefix("10.0.0.0/8"), prefix("10.0.0.0/24"),
		prefix("10.0.0.8/30"), prefix("0.0.0.0/0"), prefix("fd00::/64"), prefix("fd00::8/125")}}, Classes: classify.New(), namespaces: map[string]*record.Namespace{},
		pods: map[string]classify.Pod{}, policies: map[string]*netpolicy.Policy{}, clusters: map[string]*netpolicy.ClusterPolicy{}, known: newView()}
}

// step changes an object.
func (c *cluster) step() {
	switch id := fmt.Sprint("e", c.IntN(30)); c.IntN(12) {
	case 0:
		n := &record.Namespace{Name: classifytest.Spaces()[c.IntN(3)], Labels: c.Labels()}
		c.namespaces[n.Name] = n
		c.SetNamespace(n.Name, n.Labels)
	case 1:
		delete(c.pods, id)
		c.RemovePod(id)
	case 2, 3:
		p := c.NetworkPolicy(c.IntN(20))
		c.policies[p.ID.String()] = p
		c.SetNetworkPolicy(p)
	case 4:
		p := c.ClusterPolicy(c.IntN(8))
		c.clusters[p.Name] = p
		c.SetClusterPolicy(p)
	case 5:
		for name := range c.policies {
			delete(c.policies, name)
			c.RemovePolicy(name)
			break
		}
	case 6:
		for name := range c.clusters {
			delete(c.clusters, name)
			c.RemovePolicy(name)
			break
		}
	default:
		p := classify.Pod{ID: id, Namespace: classifytest.Spaces()[c.IntN(3)], Labels: c.Labels(), Ports: c.Ports(), Tenant: []string{"blue", "red"}[c.IntN(2)], Here: c.IntN(2) == 0}
		if old, there := c.pods[id]; there && c.IntN(2) == 0 {
			p.Namespace, p.Tenant, p.Here, p.Ports = old.Namespace, old.Tenant, old.Here, old.Ports
		}
		c.pods[id] = p
		c.SetPod(p)
	}
	c.known.follow(c.Classes)
}

func (v *view) follow(c *classify.Classes) {
	changes := c.Changes()
	for id := range changes.Pods {
		class, isolated := c.Class(id)
		v.classes[id] = fmt.Sprint(class, isolated)
	}
	for name := range changes.Policies {
		v.policies[name] = c.Policies(name)
	}
	for name := range changes.Tenants {
		delete(v.tenants, name)
		if j := c.Judgement(name); j != nil {
			v.tenants[name] = *j
		}
	}
}

// afresh returns Classes that receive all objects at once, in another order.
func (c *cluster) afresh() *classify.Classes {
	n := classify.New()
	for _, p := range c.clusters {
		n.SetClusterPolicy(p)
	}
	for _, p := range c.pods {
		n.SetPod(p)
	}
	for _, x := range c.namespaces {
		n.SetNamespace(x.Name, x.Labels)
	}
	for _, p := range c.policies {
		n.SetNetworkPolicy(p)
	}
	return n
}

// TestFollow changes a cluster at random: a client that follows Changes has the state of Classes, and this equals the state of Classes that
// received all objects at once.
func TestFollow(t *testing.T) {
	for seed := range uint64(4) {
		c := newCluster(seed)
		for i := range 300 {
			c.step()
			if i%20 != 19 {
				continue
			}
			fresh := c.afresh()
			for id := range c.pods {
				class, isolated := c.Class(id)
				again, isolatedAgain := fresh.Class(id)
				if class != again || isolated != isolatedAgain {
					t.Fatalf("seed %d, step %d: %s: want class %d (%v), got %d (%v)", seed, i, id, again, isolatedAgain, class, isolated)
				}
				if known := c.known.classes[id]; known != fmt.Sprint(class, isolated) && (known != "" || class != 0) {
					t.Fatalf("seed %d, step %d: %s: reported %q, is %d %v", seed, i, id, known, class, isolated)
				}
			}
			for _, name := range slices.Concat(slices.Collect(maps.Keys(c.policies)), slices.Collect(maps.Keys(c.clusters)), slices.Collect(maps.Keys(c.known.policies))) {
				same := func(a, b *ofnet.ClassPolicy) bool { return a.Equal(b) }
				if want, got := fresh.Policies(name), c.Policies(name); !slices.EqualFunc(want, got, same) || !slices.EqualFunc(got, c.known.policies[name], same) {
					t.Fatalf("seed %d, step %d: policy %s: want %+v, got %+v, reported %+v", seed, i, name, want, got, c.known.policies[name])
				}
			}
			for _, name := range []string{"blue", "red"} {
				j := c.Judgement(name)
				if told, ok := c.known.tenants[name]; ok != (j != nil) || ok && told != *j || (fresh.Judgement(name) != nil) != ok {
					t.Fatalf("seed %d, step %d: tenant %s: reported %v, is %v", seed, i, name, told, j)
				}
			}
		}
	}
}

// rulesOf evaluates policies between classes, as ofnet.ClassPolicy says.
func (c *cluster) rulesOf(d ofnet.Direction, own, far uint32, addr netip.Addr, isolated bool, t verdict.Traffic) bool {
	stages := map[ofnet.Stage][]*ofnet.ClassPolicy{}
	for _, list := range c.known.policies {
		for _, p := range list {
			if p.Direction == d {
				stages[p.Stage] = append(stages[p.Stage], p)
			}
		}
	}
	for stage := ofnet.StageAdmin; stage <= ofnet.StageBaseline; stage++ {
		list := stages[stage]
		slices.SortFunc(list, func(a, b *ofnet.ClassPolicy) int {
			if a.Priority != b.Priority {
				return int(a.Priority) - int(b.Priority)
			}
			return slices.Compare([]byte(a.Name), []byte(b.Name))
		})
	next:
		for _, p := range list {
			for _, r := range p.Rules {
				if !meets(&r, own, far, addr, t) {
					continue
				}
				if r.Action == ofnet.Pass {
					break next
				}
				return r.Action == ofnet.Accept
			}
		}
		if stage == ofnet.StageNamespace && isolated {
			return false
		}
	}
	return true
}

func meets(r *ofnet.ClassRule, own, far uint32, addr netip.Addr, t verdict.Traffic) bool {
	return slices.Contains(r.Subjects, own) &&
		(r.Anyone || slices.Contains(r.Peers, far) || slices.ContainsFunc(r.Prefixes, func(p netip.Prefix) bool { return p.Contains(addr) })) &&
		(len(r.Ports) == 0 || slices.ContainsFunc(r.Ports, func(p ofnet.ProtocolPorts) bool {
			return int(p.Protocol) == t.Protocol && int(p.First) <= t.Port && t.Port <= int(p.Last)
		}))
}

// meaning returns the policies of Kubernetes in the form in which their meaning is evaluated.
func (c *cluster) meaning() *verdict.NetworkPolicies {
	namespaces := map[string]map[string]string{}
	for name, n := range c.namespaces {
		namespaces[name] = n.Labels
	}
	return verdict.NewNetworkPolicies(namespaces, slices.Collect(maps.Values(c.policies)), slices.Collect(maps.Values(c.clusters)))
}

// TestClassesMeanThePolicies compares the verdicts of policies between classes, for local pods, with those of the Kubernetes policies.
func TestClassesMeanThePolicies(t *testing.T) {
	compared, allowed := 0, 0
	for seed := range uint64(6) {
		c := newCluster(seed)
		for range 150 {
			c.step()
		}
		means := c.meaning()
		end := func(id string) verdict.End {
			p, there := c.pods[id]
			e := verdict.End{Addr: netip.AddrFrom4([4]byte{10, 0, byte(len(id)), id[len(id)-1]})}
			if there {
				e.Pod = kubeview.VerdictPod(&record.Endpoint{Labels: p.Labels, Pod: record.Pod{ID: identity.Pod{Namespace: p.Namespace, Name: id}, Ports: p.Ports}})
			}
			return e
		}
		everyone := append(slices.Sorted(maps.Keys(c.pods)), "world")
		for _, a := range everyone {
			for _, b := range everyone {
				traffic := verdict.Traffic{Protocol: []int{verdict.TCP, verdict.UDP, verdict.SCTP, verdict.ICMP}[c.IntN(4)], Port: []int{22, 53, 80, 443, 1500}[c.IntN(5)]}
				from, to := end(a), end(b)
				v := means.Packet(from, to, traffic)
				classA, isolatedA := c.Class(a)
				classB, isolatedB := c.Class(b)
				if c.pods[a].Here {
					compared++
					if got := c.rulesOf(ofnet.Out, classA, classB, to.Addr, isolatedA&ofnet.Out != 0, traffic); got != v.Out.Allowed {
						t.Fatalf("seed %d: %s sends %v to %s: want %+v, got %t", seed, a, traffic, b, v.Out, got)
					}
				}
				if c.pods[b].Here {
					compared++
					if v.In.Allowed {
						allowed++
					}
					if got := c.rulesOf(ofnet.In, classB, classA, from.Addr, isolatedB&ofnet.In != 0, traffic); got != v.In.Allowed {
						t.Fatalf("seed %d: %s receives %v from %s: want %+v, got %t", seed, b, traffic, a, v.In, got)
					}
				}
			}
		}
	}
	if compared < 2000 || allowed < 100 {
		t.Errorf("want 2000 comparisons and 100 permissions, got %d and %d", compared, allowed)
	}
}

// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netpolicy"
)

// Workload is one side of a matrix: a pod, which may represent others with the same result, or the outside if it has no pod.
type Workload struct {
	Pod   *Pod
	Addrs []netip.Addr         // of the pod
	Group *model.EndpointGroup // of Contiv; nil if it has none
}

// Ruling is the fate of one class of traffic by both gates: Contiv's rules and network policies of Kubernetes.
type Ruling struct {
	Traffic
	Fate    Fate
	Out, In string // the decider at either end; "" if nothing matches
}

// Gates are the two gates that a packet must pass, ready for evaluation.
type Gates struct {
	Rules *Policies        // of the tenant; nil: there are none
	Net   *NetworkPolicies // of the namespaces concerned, and of the cluster
}

// Between returns what from may open towards to, by classes of traffic, the narrower ones first and the rest last. For outside to outside
// the list is empty.
func (g *Gates) Between(from, to Workload) (out []Ruling) {
	if from.Pod == nil && to.Pod == nil {
		return nil
	}
	for _, t := range g.classes(from, to) {
		out = append(out, g.judge(from, to, t))
	}
	return out
}

// judge joins the verdicts of both gates, and of all addresses that the ends may have.
func (g *Gates) judge(from, to Workload, t Traffic) Ruling {
	out := g.byPolicies(from, to, t)
	if g.Rules == nil || from.Group == nil && to.Group == nil {
		return out
	}
	sent := g.Rules.judge(g.Rules.of(Party{from.Group}, "out"), Party{from.Group}, Party{to.Group}, t)
	received := g.Rules.judge(g.Rules.of(Party{to.Group}, "in"), Party{to.Group}, Party{from.Group}, t)
	for _, x := range []struct {
		Judgement
		by *string
	}{{sent, &out.Out}, {received, &out.In}} {
		if x.By != nil && (*x.by == "" || x.Fate != Allowed) {
			*x.by = "rule " + x.By.ObjectKey()
		}
		if x.Fate == Denied || x.Fate == Depends && out.Fate == Allowed {
			out.Fate = x.Fate
		}
	}
	return out
}

// byPolicies is the result of the policies of Kubernetes.
func (g *Gates) byPolicies(from, to Workload, t Traffic) Ruling {
	var out Ruling
	first := true
	for _, a := range g.ends(from) {
		for _, b := range g.ends(to) {
			if a.Addr.IsValid() && b.Addr.IsValid() && a.Addr.Is4() != b.Addr.Is4() {
				continue
			}
			v := g.Net.Packet(a, b, t)
			one := Ruling{Traffic: t, Out: v.Out.By.String(), In: v.In.By.String()}
			if !v.Allowed() {
				one.Fate = Denied
			}
			switch {
			case first:
				out, first = one, false
			case out.Fate != one.Fate:
				return Ruling{Traffic: t, Fate: Depends, Out: out.Out, In: out.In}
			}
		}
	}
	out.Traffic = t
	return out
}

// ends are the possible ends of a workload: its pod at each of its addresses, or one address of every part of the outside that address
// blocks distinguish.
func (g *Gates) ends(w Workload) (out []End) {
	addrs := w.Addrs
	if w.Pod == nil {
		addrs = g.Net.boundaries()
	}
	for _, a := range addrs {
		out = append(out, End{Pod: w.Pod, Addr: a})
	}
	return out
}

// boundaries are the first addresses of ranges that are in the same blocks.
func (n *NetworkPolicies) boundaries() []netip.Addr {
	starts := map[netip.Addr]struct{}{netip.IPv4Unspecified(): {}, netip.IPv6Unspecified(): {}}
	n.peers(func(p *netpolicy.Peer) {
		if !p.Block.IsValid() {
			return
		}
		for _, x := range append([]netip.Prefix{p.Block}, p.Except...) {
			starts[x.Masked().Addr()] = struct{}{}
			if next := lastOf(x).Next(); next.IsValid() {
				starts[next] = struct{}{}
			}
		}
	})
	return slices.SortedFunc(maps.Keys(starts), netip.Addr.Compare)
}

// lastOf is the last address of a prefix.
func lastOf(p netip.Prefix) netip.Addr { return parseSpace(p.Masked().String()).last }

// rules yields every rule of every policy.
func (n *NetworkPolicies) rules(visit func(r *netpolicy.Rule)) {
	for _, list := range n.policies {
		for _, p := range list {
			for _, rules := range [][]netpolicy.Rule{p.Ingress.Rules, p.Egress.Rules} {
				for i := range rules {
					visit(&rules[i])
				}
			}
		}
	}
	for _, p := range n.clusters {
		for _, rules := range [][]netpolicy.ClusterRule{p.Ingress.Rules, p.Egress.Rules} {
			for i := range rules {
				visit(&rules[i].Rule)
			}
		}
	}
}

func (n *NetworkPolicies) peers(visit func(p *netpolicy.Peer)) {
	n.rules(func(r *netpolicy.Rule) {
		for i := range r.Peers {
			visit(&r.Peers[i])
		}
	})
}

// Alike is a key shared by workloads that neither gate distinguishes: it has everything that selectors, blocks and names of ports may
// depend on.
func (g *Gates) Alike(w Workload) string {
	keys, names, inside := map[string]struct{}{}, map[string]struct{}{}, []string{}
	selector := func(list ...netpolicy.Selector) {
		for _, s := range list {
			for _, r := range s {
				keys[r.Key] = struct{}{}
			}
		}
	}
	for _, list := range g.Net.policies {
		for _, p := range list {
			selector(p.Pods)
		}
	}
	for _, p := range g.Net.clusters {
		selector(p.Pods)
	}
	g.Net.rules(func(r *netpolicy.Rule) {
		for _, p := range r.Ports {
			names[p.Name] = struct{}{}
		}
	})
	g.Net.peers(func(p *netpolicy.Peer) {
		selector(p.Pods)
		for _, a := range w.Addrs {
			in := p.Block.IsValid() && p.Block.Contains(a) && !slices.ContainsFunc(p.Except, func(e netip.Prefix) bool { return e.Contains(a) })
			inside = append(inside, fmt.Sprint(in))
		}
	})
	words := []string{w.Pod.Namespace, Party{w.Group}.Name()}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if value, has := w.Pod.Labels[k]; has {
			words = append(words, k+"="+value)
		}
	}
	for _, p := range w.Pod.Ports {
		if _, asked := names[p.Name]; asked {
			words = append(words, fmt.Sprint(p))
		}
	}
	return strings.Join(append(words, inside...), "\n")
}

// String describes the policy with its rule, "" if none decides.
func (c Cause) String() string {
	if c.Policy == "" {
		return ""
	}
	text := "networkpolicy " + c.Policy
	if c.Cluster {
		text = "clusternetworkpolicy " + c.Policy
	}
	if c.Rule == 0 {
		return text + " isolates"
	}
	return fmt.Sprintf("%s rule %d", text, c.Rule)
}

// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/netpolicy"
)

// Pod has the fields of a pod that network policies of Kubernetes depend on. Pods of the host's own network are excluded: to policies they
// are their node.
type Pod struct {
	Namespace, Name string
	Labels          map[string]string
	Ports           []NamedPort
}

// NamedPort is a port of a pod that policies may refer to by its name.
type NamedPort struct {
	Name           string
	Protocol, Port int
}

// End is one side of a packet.
type End struct {
	Pod  *Pod // nil: a node, or outside
	Addr netip.Addr
	Node string // of the pod; or the node itself, "" outside
}

// NetworkPolicies are the policies of Kubernetes, NetworkPolicy of networking.k8s.io/v1 and ClusterNetworkPolicy of
// policy.networking.k8s.io, ready for evaluation.
type NetworkPolicies struct {
	namespaces map[string]map[string]string
	policies   map[string][]*netpolicy.Policy // by namespace, in the order of their names
	clusters   []*netpolicy.ClusterPolicy     // by priority and name
}

// NewNetworkPolicies returns policies for namespaces by name, with their labels. Namespaces that are not listed have no labels.
func NewNetworkPolicies(namespaces map[string]map[string]string, policies []*netpolicy.Policy, clusters []*netpolicy.ClusterPolicy) *NetworkPolicies {
	n := &NetworkPolicies{namespaces: namespaces, policies: map[string][]*netpolicy.Policy{}, clusters: slices.Clone(clusters)}
	for _, p := range policies {
		n.policies[p.ID.Namespace] = append(n.policies[p.ID.Namespace], p)
	}
	for _, list := range n.policies {
		slices.SortFunc(list, func(a, b *netpolicy.Policy) int { return strings.Compare(a.ID.Name, b.ID.Name) })
	}
	slices.SortFunc(n.clusters, func(a, b *netpolicy.ClusterPolicy) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), strings.Compare(a.Name, b.Name))
	})
	return n
}

// Cause is the deciding policy, and its rule.
type Cause struct {
	Cluster bool   // a ClusterNetworkPolicy; otherwise a NetworkPolicy
	Policy  string // "namespace/name", or the name of a cluster's policy; "" if none decides
	Rule    int    // its number among those of the direction; 0 if no rule allows
}

// Sentence is the result of the policies of one end.
type Sentence struct {
	Allowed bool
	By      Cause
}

// Verdict is the result for a packet that opens a connection.
type Verdict struct{ Out, In Sentence }

// Allowed reports whether both ends allow it.
func (v Verdict) Allowed() bool { return v.Out.Allowed && v.In.Allowed }

// Packet evaluates the policies for a packet from one end to the other that opens a connection: what the sender may send, and what the
// receiver may receive. A pod and its own node always communicate.
func (n *NetworkPolicies) Packet(from, to End, t Traffic) Verdict {
	return Verdict{Out: n.receive(from, to, t, false), In: n.receive(to, from, t, true)}
}

// receive evaluates the policies of one end: those of tier Admin, until one decides; then NetworkPolicies, if any isolates the pod; then
// those of Baseline.
func (n *NetworkPolicies) receive(own, far End, t Traffic, in bool) Sentence {
	if own.Pod == nil || far.Pod == nil && far.Node != "" && far.Node == own.Node {
		return Sentence{Allowed: true}
	}
	q := &inquiry{NetworkPolicies: n, own: own, far: far, traffic: t, in: in}
	if s, decided := q.cluster(netpolicy.TierAdmin); decided {
		return s
	}
	if s, decided := q.namespaced(); decided {
		return s
	}
	s, _ := q.cluster(netpolicy.TierBaseline)
	return s
}

// inquiry is a packet as the policies of one end see it.
type inquiry struct {
	*NetworkPolicies
	own, far End
	traffic  Traffic
	in       bool // own is the receiver
}

// cluster evaluates the policies of a tier in the order of their priorities, equal ones by name. Decided is false if no rule matches, or
// the first match passes; then they allow the packet.
func (q *inquiry) cluster(tier netpolicy.Tier) (s Sentence, decided bool) {
	places, priority := 0, -1
	for _, p := range q.clusters {
		if p.Tier != tier {
			continue
		}
		if p.Priority != priority {
			places, priority = 0, p.Priority
		}
		rules, first := p.Egress.Rules, places
		if q.in {
			rules = p.Ingress.Rules
		}
		if len(rules) > 0 {
			places += rules[len(rules)-1].Number
		}
		if !p.Namespaces.Selects(q.namespaces[q.own.Pod.Namespace]) || !p.Pods.Selects(q.own.Pod.Labels) {
			continue
		}
		for i := range rules {
			r := &rules[i]
			by := Cause{Cluster: true, Policy: p.Name, Rule: r.Number}
			switch {
			case first+r.Number > maxPlaces:
				return Sentence{By: by}, true
			case !q.speaksOf(&r.Rule, ""):
			case r.Action == netpolicy.Pass:
				return Sentence{Allowed: true}, false
			default:
				return Sentence{Allowed: r.Action == netpolicy.Accept, By: by}, true
			}
		}
	}
	return Sentence{Allowed: true}, false
}

// maxPlaces is the maximum number of rules that policies of one tier and priority have together, in a direction: those beyond it deny
// everything.
const maxPlaces = 2 * netpolicy.MaxRules

// namespaced evaluates the policies of the pod's namespace: once any selects it for the direction, only what a rule of one allows passes.
func (q *inquiry) namespaced() (s Sentence, decided bool) {
	for _, p := range q.policies[q.own.Pod.Namespace] {
		direction := &p.Egress
		if q.in {
			direction = &p.Ingress
		}
		if !direction.Isolates || !p.Pods.Selects(q.own.Pod.Labels) {
			continue
		}
		name := p.ID.Path()
		for i := range direction.Rules {
			if r := &direction.Rules[i]; q.speaksOf(r, p.ID.Namespace) {
				return Sentence{Allowed: true, By: Cause{Policy: name, Rule: r.Number}}, true
			}
		}
		if !decided {
			s, decided = Sentence{By: Cause{Policy: name}}, true
		}
	}
	return s, decided
}

// speaksOf reports whether a rule matches the packet; namespace is that of its policy. A named port exists only on pods, so an
// address block with a named port matches nothing.
func (q *inquiry) speaksOf(r *netpolicy.Rule, namespace string) bool {
	peers, ports := r.Peers, r.Ports
	if len(peers) == 0 {
		return len(ports) == 0 || slices.ContainsFunc(ports, q.isPort)
	}
	return slices.ContainsFunc(peers, func(p netpolicy.Peer) bool {
		return q.isPeer(&p, namespace) && (len(ports) == 0 || slices.ContainsFunc(ports, func(o netpolicy.Port) bool {
			return q.isPort(o) && (q.in || o.Name == "" || !p.Block.IsValid())
		}))
	})
}

// isPeer reports whether the far end is a rule's other side.
func (q *inquiry) isPeer(p *netpolicy.Peer, namespace string) bool {
	if p.Block.IsValid() {
		return p.Block.Contains(q.far.Addr) && !slices.ContainsFunc(p.Except, func(e netip.Prefix) bool { return e.Contains(q.far.Addr) })
	}
	pod := q.far.Pod
	switch {
	case pod == nil:
		return false
	case p.Own && pod.Namespace != namespace, !p.Own && !p.Namespaces.Selects(q.namespaces[pod.Namespace]):
		return false
	}
	return p.Pods.Selects(pod.Labels)
}

// isPort reports whether the packet goes to a rule's port. A name is that of a port of the destination pod.
func (q *inquiry) isPort(p netpolicy.Port) bool {
	switch {
	case p.Protocol != 0 && int(p.Protocol) != q.traffic.Protocol:
		return false
	case p.Name != "":
		to := q.far.Pod
		if q.in {
			to = q.own.Pod
		}
		return to != nil && slices.ContainsFunc(to.Ports, func(n NamedPort) bool {
			return n.Name == p.Name && n.Protocol == q.traffic.Protocol && n.Port == q.traffic.Port
		})
	case p.Protocol == 0:
		return false
	}
	return p.First == 0 || int(p.First) <= q.traffic.Port && q.traffic.Port <= int(p.Last)
}

// SPDX-License-Identifier: Apache-2.0

// Package classify groups pods by the network policies of Kubernetes: pods for which all selectors of these policies have the same result
// are one class. It follows changes, for a pod in proportion to the selectors that may select it, for a policy in proportion to its
// selectors and the pods that these may select. It ignores policies that select no pod of this host.
package classify

import (
	"maps"
	"slices"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// Pod has the fields of a pod that policies depend on. Pods of the host's own network are excluded.
type Pod struct {
	ID        string // of its endpoint
	Namespace string
	Labels    map[string]string
	Ports     []record.NamedPort
	Tenant    string
	Here      bool // on this host: policies may select it
}

// Classes has all pods and policies. It belongs to one goroutine at a time. Set and Remove report what exists; Changes returns the
// consequences.
type Classes struct {
	namespaces map[string]map[string]string // labels
	pods       map[string]*pod
	inside     map[string]map[string]*pod // pods by namespace
	questions  map[string]*question
	index      map[place][]*question
	classes    map[string]*class
	numbers    numbering
	policies   map[string]*policy
	tenants    map[string]tenant
	pending    []*question // that have started or stopped selecting pods, or have other policies
	asked      uint64      // number of questions so far
	relabelled uint64      // hash of the relevant label changes
	changes    Changes
}

// tenant has the questions by which policies select local pods of a tenant, with the number of pods.
type tenant map[*question]int

// Changes are the changes since the last call of Changes.
type Changes struct {
	Pods     map[string]struct{} // endpoints that have another class
	Policies map[string]struct{} // names of policies whose rules, in numbers of classes, have changed
	Tenants  map[string]struct{} // with another Judgement
}

// New returns Classes without pods and policies.
func New() *Classes {
	c := &Classes{namespaces: map[string]map[string]string{}, pods: map[string]*pod{}, inside: map[string]map[string]*pod{},
		questions: map[string]*question{}, index: map[place][]*question{}, classes: map[string]*class{}, policies: map[string]*policy{},
		tenants: map[string]tenant{}, numbers: newNumbering(ofnet.LastClass)}
	c.Changes()
	return c
}

// Changes returns the changes since its last call.
func (c *Classes) Changes() Changes {
	out := c.changes
	c.changes = Changes{map[string]struct{}{}, map[string]struct{}{}, map[string]struct{}{}}
	return out
}

// Class returns an endpoint's class, and the directions in which it is isolated.
func (c *Classes) Class(endpoint string) (number uint32, isolated ofnet.Direction) {
	p := c.pods[endpoint]
	if p == nil || p.class == nil {
		return 0, 0
	}
	return p.class.number, p.class.isolated
}

// Policies returns a policy's rules, for each direction that concerns pods of this host.
func (c *Classes) Policies(name string) []*ofnet.ClassPolicy {
	p := c.policies[name]
	if p == nil || !p.active {
		return nil
	}
	return p.compile()
}

// Judgement returns the sum of the policies for a tenant, nil if they select none of its local pods.
func (c *Classes) Judgement(name string) *ofnet.Judgement {
	t := c.tenants[name]
	if t == nil {
		return nil
	}
	sum := c.relabelled
	for q := range t {
		for p := range q.users {
			sum += p.hash
		}
	}
	return &ofnet.Judgement{Tenant: name, Sum: sum}
}

// SetNamespace sets the labels of a namespace.
func (c *Classes) SetNamespace(name string, labels map[string]string) {
	if old, known := c.namespaces[name]; known && maps.Equal(old, labels) {
		return
	}
	c.namespaces[name] = labels
	c.relabel(name)
}

// RemoveNamespace removes a namespace. Remaining pods have one without labels.
func (c *Classes) RemoveNamespace(name string) {
	delete(c.namespaces, name)
	c.relabel(name)
}

func (c *Classes) relabel(namespace string) {
	for _, id := range slices.Sorted(maps.Keys(c.inside[namespace])) {
		c.judge(c.inside[namespace][id])
	}
	c.follow()
}

// SetPod sets a pod. Its labels may change; a change of its namespace or tenant makes it another pod.
func (c *Classes) SetPod(v Pod) {
	old := c.pods[v.ID]
	switch {
	case old != nil && (old.Namespace != v.Namespace || old.Tenant != v.Tenant || old.Here != v.Here):
		c.RemovePod(v.ID)
		fallthrough
	case old == nil:
		old = &pod{Pod: v}
		c.pods[v.ID] = old
		if c.inside[v.Namespace] == nil {
			c.inside[v.Namespace] = map[string]*pod{}
		}
		c.inside[v.Namespace][v.ID] = old
		c.assign(old, c.answersOf(old))
	default:
		old.Pod = v
		c.judge(old)
	}
	c.follow()
}

// RemovePod removes a pod.
func (c *Classes) RemovePod(id string) {
	p := c.pods[id]
	if p == nil {
		return
	}
	c.assign(p, nil)
	delete(c.pods, id)
	delete(c.inside[p.Namespace], id)
	if len(c.inside[p.Namespace]) == 0 {
		delete(c.inside, p.Namespace)
	}
	c.follow()
}

// judge evaluates the questions about a known pod again. If any answer changes, connections admitted under the old labels are judged again.
func (c *Classes) judge(p *pod) {
	if c.assign(p, c.answersOf(p)) {
		c.relabelled = hash("relabelled", p.ID, signature(p.answers)) + c.relabelled*31
		for name := range c.tenants {
			c.changes.Tenants[name] = struct{}{}
		}
	}
}

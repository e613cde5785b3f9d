// Package classify tells which pods the network policies of Kubernetes tell apart: those for which all selectors of these policies say the
// same are one class. It follows changes, a pod in proportion to the selectors that may select it, a policy in proportion to its selectors and
// the pods that these may select. Policies that select no pod of this host are not looked into.
package classify

import (
	"maps"
	"slices"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// Pod is what policies see of a pod. Pods of the host's own network are none.
type Pod struct {
	ID        string // of its endpoint
	Namespace string
	Labels    map[string]string
	Ports     []record.NamedPort
	Tenant    string
	Here      bool // on this host: policies may select it
}

// Classes are all pods and policies. It belongs to one goroutine at a time. Set and Remove tell it what there is; Changes tells what follows.
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
	pending    []*question // that have begun or ceased to select pods, or have other policies
	asked      uint64      // questions so far
	relabelled uint64      // hash of the changes of labels that mattered
	changes    Changes
}

// tenant is by which questions policies select pods of a tenant here, each with how many.
type tenant map[*question]int

// Changes are what is not as it was when Changes were asked for last.
type Changes struct {
	Pods     map[string]struct{} // endpoints that have another class
	Policies map[string]struct{} // names of policies whose rules, in numbers of classes, are others
	Tenants  map[string]struct{} // that are judged otherwise
}

// New returns Classes of no pod and no policy.
func New() *Classes {
	c := &Classes{namespaces: map[string]map[string]string{}, pods: map[string]*pod{}, inside: map[string]map[string]*pod{},
		questions: map[string]*question{}, index: map[place][]*question{}, classes: map[string]*class{}, policies: map[string]*policy{},
		tenants: map[string]tenant{}, numbers: newNumbering(ofnet.LastClass)}
	c.Changes()
	return c
}

// Changes returns what has changed since it was asked for last.
func (c *Classes) Changes() Changes {
	out := c.changes
	c.changes = Changes{map[string]struct{}{}, map[string]struct{}{}, map[string]struct{}{}}
	return out
}

// Class is what an endpoint is known as, and in which directions it is isolated.
func (c *Classes) Class(endpoint string) (number uint32, isolated ofnet.Direction) {
	p := c.pods[endpoint]
	if p == nil || p.class == nil {
		return 0, 0
	}
	return p.class.number, p.class.isolated
}

// Policies are a policy's rules, of each direction in which it says something of pods of this host.
func (c *Classes) Policies(name string) []*ofnet.ClassPolicy {
	p := c.policies[name]
	if p == nil || !p.active {
		return nil
	}
	return p.compile()
}

// Judgement is what policies amount to for a tenant, nil when they select none of its pods here.
func (c *Classes) Judgement(name string) *ofnet.Judgement {
	t := c.tenants[name]
	if t == nil {
		return nil
	}
	sum := c.relabelled
	for q := range t {
		for p := range q.users {
			sum += p.said
		}
	}
	return &ofnet.Judgement{Tenant: name, Sum: sum}
}

// SetNamespace tells of a namespace and its labels.
func (c *Classes) SetNamespace(name string, labels map[string]string) {
	if old, known := c.namespaces[name]; known && maps.Equal(old, labels) {
		return
	}
	c.namespaces[name] = labels
	c.relabel(name)
}

// RemoveNamespace tells that a namespace is gone. Pods that are left in it have one without labels.
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

// SetPod tells of a pod. Its labels may change; what changes its namespace or tenant makes another pod of it.
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
		c.settle(old, c.answersOf(old))
	default:
		old.Pod = v
		c.judge(old)
	}
	c.follow()
}

// RemovePod tells that a pod is gone.
func (c *Classes) RemovePod(id string) {
	p := c.pods[id]
	if p == nil {
		return
	}
	c.settle(p, nil)
	delete(c.pods, id)
	delete(c.inside[p.Namespace], id)
	if len(c.inside[p.Namespace]) == 0 {
		delete(c.inside, p.Namespace)
	}
	c.follow()
}

// judge has the questions about a known pod answered again. If any is answered otherwise, what was admitted under the old labels is judged
// again.
func (c *Classes) judge(p *pod) {
	if c.settle(p, c.answersOf(p)) {
		c.relabelled = hash("relabelled", p.ID, signature(p.answers)) + c.relabelled*31
		for name := range c.tenants {
			c.changes.Tenants[name] = struct{}{}
		}
	}
}

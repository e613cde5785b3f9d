// SPDX-License-Identifier: Apache-2.0

package classify

import (
	"encoding/json"
	"slices"

	"github.com/contiv/contiv/netpolicy"
	"github.com/contiv/contiv/ofnet"
)

// policy is a policy with its questions.
type policy struct {
	name     string
	stage    ofnet.Stage
	priority uint16
	hash     uint64 // of the record
	own      string // namespace
	sides    []side
	subject  *question
	active   bool // its peers and ports are evaluated, since the subject selects a pod
}

// side is the part of a policy for one direction.
type side struct {
	direction ofnet.Direction
	rules     []rule
}

// rule is a rule with its questions.
type rule struct {
	netpolicy.Rule
	action ofnet.ClassAction
	pods   []*question // of the peers that are pods
	ports  []*question // of the ports that are names
}

// SetNetworkPolicy sets a policy of a namespace.
func (c *Classes) SetNetworkPolicy(r *netpolicy.Policy) {
	p := &policy{name: r.ID.String(), stage: ofnet.StageNamespace, own: r.ID.Namespace, hash: hashOf(r)}
	var isolates ofnet.Direction
	for d, s := range map[ofnet.Direction]*netpolicy.Direction{ofnet.In: &r.Ingress, ofnet.Out: &r.Egress} {
		if !s.Isolates {
			continue
		}
		isolates |= d
		one := side{direction: d}
		for _, x := range s.Rules {
			one.rules = append(one.rules, rule{Rule: x, action: ofnet.Accept})
		}
		p.sides = append(p.sides, one)
	}
	p.subject = selecting(true, isolates, r.ID.Namespace, nil, r.Pods)
	c.set(p)
}

// SetClusterPolicy sets a policy of the cluster.
func (c *Classes) SetClusterPolicy(r *netpolicy.ClusterPolicy) {
	p := &policy{name: r.Name, stage: ofnet.StageAdmin, priority: uint16(r.Priority), hash: hashOf(r)}
	if r.Tier == netpolicy.TierBaseline {
		p.stage = ofnet.StageBaseline
	}
	for d, s := range map[ofnet.Direction]*netpolicy.ClusterDirection{ofnet.In: &r.Ingress, ofnet.Out: &r.Egress} {
		one := side{direction: d}
		for _, x := range s.Rules {
			action := map[netpolicy.Action]ofnet.ClassAction{netpolicy.Accept: ofnet.Accept, netpolicy.Pass: ofnet.Pass, netpolicy.Deny: ofnet.Deny}[x.Action]
			one.rules = append(one.rules, rule{Rule: x.Rule, action: action})
		}
		if len(one.rules) > 0 {
			p.sides = append(p.sides, one)
		}
	}
	p.subject = selecting(true, 0, "", r.Namespaces, r.Pods)
	c.set(p)
}

// hashOf returns a hash of a record.
func hashOf(r any) uint64 {
	text, _ := json.Marshal(r) // these types have no value that cannot be encoded
	return hash(string(text))
}

// set replaces the policy of the same name. It evaluates the new one first, so that no pod is between two classes.
func (c *Classes) set(p *policy) {
	old := c.policies[p.name]
	if old != nil && old.hash == p.hash {
		return
	}
	slices.SortFunc(p.sides, func(a, b side) int { return int(a.direction) - int(b.direction) })
	c.policies[p.name] = p
	c.changes.Policies[p.name] = struct{}{}
	p.subject = c.ask(p.subject, p)
	c.pending = append(c.pending, p.subject)
	c.follow()
	if old != nil {
		c.retire(old)
	}
}

// RemovePolicy removes a policy: by "namespace:name", or by the name of one of the cluster.
func (c *Classes) RemovePolicy(name string) {
	if p := c.policies[name]; p != nil {
		delete(c.policies, name)
		c.changes.Policies[name] = struct{}{}
		c.retire(p)
	}
}

// retire withdraws the questions of a policy.
func (c *Classes) retire(p *policy) {
	c.deactivate(p)
	c.judged(p.subject)
	c.withdraw(p.subject, p)
	c.follow()
}

// judged records that tenants whose pods a question selects have another Judgement.
func (c *Classes) judged(q *question) {
	for name, t := range c.tenants {
		if t[q] > 0 {
			c.changes.Tenants[name] = struct{}{}
		}
	}
}

// count records that questions select a pod, or no longer do.
func (c *Classes) count(p *pod, answers []answer, more int) {
	for _, a := range answers {
		if !a.subjects || a.port != "" {
			continue
		}
		a.selects += more
		t := c.tenants[p.Tenant]
		if t == nil {
			t = tenant{}
			c.tenants[p.Tenant] = t
		}
		if t[a.question] += more; t[a.question] == 0 {
			delete(t, a.question)
		}
		if len(t) == 0 {
			delete(c.tenants, p.Tenant)
		}
		if more < 0 && t[a.question] == 0 || more > 0 && t[a.question] == 1 {
			c.changes.Tenants[p.Tenant] = struct{}{}
		}
		c.pending = append(c.pending, a.question)
	}
}

// follow activates policies that select pods now, and deactivates those that no longer do.
func (c *Classes) follow() {
	for len(c.pending) > 0 {
		q := c.pending[0]
		c.pending = c.pending[1:]
		for p := range q.users {
			switch {
			case q.selects > 0 && !p.active:
				c.activate(p)
				c.judged(q)
			case q.selects == 0:
				c.deactivate(p)
			}
		}
	}
}

// activate adds the questions of a policy's peers and ports.
func (c *Classes) activate(p *policy) {
	p.active = true
	c.changes.Policies[p.name] = struct{}{}
	for i := range p.sides {
		in := p.sides[i].direction == ofnet.In
		for j := range p.sides[i].rules {
			r := &p.sides[i].rules[j]
			for _, peer := range r.Peers {
				if peer.Block.IsValid() {
					continue
				}
				own := ""
				if peer.Own {
					own = p.own
				}
				r.pods = append(r.pods, c.ask(selecting(false, 0, own, peer.Namespaces, peer.Pods), p))
			}
			for _, port := range r.Ports {
				for _, protocol := range named(port) {
					r.ports = append(r.ports, c.ask(naming(in, protocol, port.Name), p))
				}
			}
		}
	}
}

// named returns the protocols in which a port's name is looked up; none if it has none.
func named(p netpolicy.Port) []uint8 {
	switch {
	case p.Name == "":
		return nil
	case p.Protocol != 0:
		return []uint8{p.Protocol}
	}
	return []uint8{ofnet.ProtocolTCP, ofnet.ProtocolUDP, ofnet.ProtocolSCTP}
}

// deactivate withdraws a policy's peers and ports.
func (c *Classes) deactivate(p *policy) {
	if !p.active {
		return
	}
	p.active = false
	c.changes.Policies[p.name] = struct{}{}
	for i := range p.sides {
		for j := range p.sides[i].rules {
			r := &p.sides[i].rules[j]
			for _, q := range append(r.pods, r.ports...) {
				c.withdraw(q, p)
			}
			r.pods, r.ports = nil, nil
		}
	}
}

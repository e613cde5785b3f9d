// SPDX-License-Identifier: Apache-2.0

// Package classifytest generates random pods and network policies for tests: with few labels, names and addresses, so that selectors often
// match.
package classifytest

import (
	"fmt"
	"math/rand/v2"
	"net/netip"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
	"github.com/contiv/contiv/ofnet"
)

// Chance generates random objects.
type Chance struct {
	*rand.Rand
	Prefixes []netip.Prefix // of which blocks are chosen
}

// Spaces are the names of the namespaces that pods and policies are in.
func Spaces() []string { return []string{"front", "back", "void"} }

func pick[T any](c *Chance, list ...T) T { return list[c.IntN(len(list))] }

// Labels returns some of a few labels.
func (c *Chance) Labels() map[string]string {
	out := map[string]string{}
	for _, key := range []string{"app", "tier", "odd"} {
		if value := pick(c, "", "a", "b", "c"); value != "" {
			out[key] = value
		}
	}
	return out
}

// Ports returns some named ports.
func (c *Chance) Ports() (out []record.NamedPort) {
	for _, name := range []string{"dns", "web"} {
		for _, protocol := range []uint8{ofnet.ProtocolTCP, ofnet.ProtocolUDP} {
			if c.IntN(2) == 0 {
				out = append(out, record.NamedPort{Name: name, Protocol: protocol, Port: pick(c, uint16(53), 80, 443, 1500)})
			}
		}
	}
	return out
}

// Selector selects by a few labels.
func (c *Chance) Selector() netpolicy.Selector {
	var all []netpolicy.Requirement
	for range c.IntN(3) {
		r := netpolicy.Requirement{Key: pick(c, "app", "tier", "odd"), Operator: pick(c, netpolicy.In, netpolicy.In, netpolicy.NotIn, netpolicy.Exists, netpolicy.DoesNotExist)}
		if r.Operator == netpolicy.In || r.Operator == netpolicy.NotIn {
			r.Values = []string{pick(c, "a", "b", "c")}
			if c.IntN(3) == 0 {
				r.Values = append(r.Values, "b")
			}
		}
		all = append(all, r)
	}
	return netpolicy.NewSelector(all...)
}

// rule is a rule; one of a cluster's policy names its peers.
func (c *Chance) rule(number int, cluster bool) netpolicy.Rule {
	r := netpolicy.Rule{Number: number}
	for range c.IntN(3) {
		r.Peers = append(r.Peers, c.peer(cluster))
	}
	if cluster && len(r.Peers) == 0 {
		r.Peers = append(r.Peers, c.peer(cluster))
	}
	for range c.IntN(3) {
		p := netpolicy.Port{Protocol: pick(c, uint8(ofnet.ProtocolTCP), ofnet.ProtocolTCP, ofnet.ProtocolUDP, ofnet.ProtocolSCTP)}
		switch c.IntN(4) {
		case 0:
			p.Name = pick(c, "dns", "web")
			p.Protocol = pick(c, p.Protocol, 0)
		case 1:
			p.First = pick(c, uint16(22), 80, 1000)
			p.Last = p.First + uint16(c.IntN(1000))
		case 2:
			p.First = pick(c, uint16(22), 53, 80, 443)
			p.Last = p.First
		}
		r.Ports = append(r.Ports, p)
	}
	return r
}

func (c *Chance) peer(cluster bool) netpolicy.Peer {
	switch {
	case c.IntN(3) == 0:
		p := netpolicy.Peer{Block: pick(c, c.Prefixes...)}
		for range c.IntN(3) {
			if e := pick(c, c.Prefixes...); e.Bits() > p.Block.Bits() && p.Block.Contains(e.Addr()) {
				p.Except = append(p.Except, e)
			}
		}
		return p
	case !cluster && c.IntN(2) == 0:
		return netpolicy.Peer{Own: true, Pods: c.Selector()}
	}
	return netpolicy.Peer{Namespaces: c.Selector(), Pods: c.Selector()}
}

// NetworkPolicy is policy n of a namespace.
func (c *Chance) NetworkPolicy(n int) *netpolicy.Policy {
	p := &netpolicy.Policy{ID: identity.NetworkPolicy{Namespace: pick(c, Spaces()...), Name: fmt.Sprint("p", n)}, Pods: c.Selector()}
	for _, d := range []*netpolicy.Direction{&p.Ingress, &p.Egress} {
		if d.Isolates = c.IntN(3) > 0; d.Isolates {
			for i := range c.IntN(3) {
				d.Rules = append(d.Rules, c.rule(i+1, false))
			}
		}
	}
	return p
}

// ClusterPolicy is policy n of the cluster. Priorities are few, so that some are equal.
func (c *Chance) ClusterPolicy(n int) *netpolicy.ClusterPolicy {
	p := &netpolicy.ClusterPolicy{Name: fmt.Sprint("c", n), Tier: pick(c, netpolicy.TierAdmin, netpolicy.TierBaseline), Priority: pick(c, 0, 7, 500, 999, 1000),
		Namespaces: c.Selector(), Pods: c.Selector()}
	for _, d := range []*netpolicy.ClusterDirection{&p.Ingress, &p.Egress} {
		for i := range c.IntN(4) {
			d.Rules = append(d.Rules, netpolicy.ClusterRule{Rule: c.rule(i+1, true), Action: pick(c, netpolicy.Accept, netpolicy.Deny, netpolicy.Pass)})
		}
	}
	return p
}

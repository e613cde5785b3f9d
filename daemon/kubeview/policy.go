// SPDX-License-Identifier: Apache-2.0

package kubeview

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/netpolicy"
)

// The directions of a policy, by the names of its fields.
const (
	ingress = "ingress"
	egress  = "egress"
)

// NetworkPolicy returns a policy of a namespace, its rules as text.
func NetworkPolicy(p *netpolicy.Policy) *model.NetworkPolicy {
	o := &model.NetworkPolicy{Namespace: p.ID.Namespace, Name: p.ID.Name, Subject: chosen(p.Pods)}
	for _, d := range []struct {
		name string
		side *netpolicy.Direction
		into *[]string
	}{{ingress, &p.Ingress, &o.Ingress}, {egress, &p.Egress, &o.Egress}} {
		if d.side.Isolates {
			o.Directions = append(o.Directions, d.name)
		}
		for i := range d.side.Rules {
			*d.into = append(*d.into, rule(&d.side.Rules[i], "allow", d.name))
		}
		if d.side.Isolates && len(d.side.Rules) == 0 {
			*d.into = []string{"nothing is allowed"}
		}
		o.Unread = append(o.Unread, unread(d.name, d.side.Unread)...)
	}
	o.Key = o.ObjectKey()
	return o
}

// ClusterNetworkPolicy returns a policy of the cluster, its rules as text.
func ClusterNetworkPolicy(p *netpolicy.ClusterPolicy) *model.ClusterNetworkPolicy {
	o := &model.ClusterNetworkPolicy{Name: p.Name, Tier: string(p.Tier), Priority: p.Priority, Subject: podsOf(p.Pods, p.Namespaces)}
	for _, d := range []struct {
		name string
		side *netpolicy.ClusterDirection
		into *[]string
	}{{ingress, &p.Ingress, &o.Ingress}, {egress, &p.Egress, &o.Egress}} {
		for i := range d.side.Rules {
			r := &d.side.Rules[i]
			text := rule(&r.Rule, strings.ToLower(string(r.Action)), d.name)
			if r.Name != "" {
				text += " (" + r.Name + ")"
			}
			*d.into = append(*d.into, text)
		}
		o.Unread = append(o.Unread, unread(d.name, d.side.Unread)...)
	}
	o.Key = o.ObjectKey()
	return o
}

func unread(direction string, reasons []string) (out []string) {
	for _, r := range reasons {
		out = append(out, direction+": "+r)
	}
	return out
}

// rule is a rule as text: "1: allow tcp 80 from pods app=web".
func rule(r *netpolicy.Rule, action, direction string) string {
	peers, ports := []string{"anyone"}, []string{"anything"}
	if len(r.Peers) > 0 {
		peers = nil
	}
	for i := range r.Peers {
		peers = append(peers, peer(&r.Peers[i]))
	}
	if len(r.Ports) > 0 {
		ports = nil
	}
	for _, p := range r.Ports {
		ports = append(ports, port(p))
	}
	word := "from"
	if direction == egress {
		word = "to"
	}
	return fmt.Sprintf("%d: %s %s %s %s", r.Number, action, strings.Join(ports, ", "), word, strings.Join(peers, "; or "))
}

// peer describes one peer of a rule.
func peer(p *netpolicy.Peer) string {
	switch {
	case p.Block.IsValid() && len(p.Except) > 0:
		return p.Block.String() + " except " + prefixes(p.Except)
	case p.Block.IsValid():
		return p.Block.String()
	case p.Own:
		return chosen(p.Pods) + " of its namespace"
	}
	return podsOf(p.Pods, p.Namespaces)
}

func prefixes(list []netip.Prefix) string {
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = p.String()
	}
	return strings.Join(texts, ", ")
}

// port describes ports of a rule: "tcp 80", "udp 5000-5010", "port http".
func port(p netpolicy.Port) string {
	name := "port"
	if p.Protocol != 0 {
		name = protocol(p.Protocol)
	}
	switch {
	case p.Name != "":
		return name + " " + p.Name
	case p.First == 0:
		return name
	case p.First == p.Last:
		return fmt.Sprintf("%s %d", name, p.First)
	}
	return fmt.Sprintf("%s %d-%d", name, p.First, p.Last)
}

func protocol(number uint8) string { return verdict.Traffic{Protocol: int(number)}.String() }

// chosen describes the pods that a selector selects.
func chosen(s netpolicy.Selector) string {
	if len(s) == 0 {
		return "all pods"
	}
	return "pods " + s.String()
}

// podsOf describes pods of namespaces that a selector selects.
func podsOf(pods, namespaces netpolicy.Selector) string {
	of := "all namespaces"
	if len(namespaces) > 0 {
		of = "namespaces " + namespaces.String()
	}
	return chosen(pods) + " of " + of
}

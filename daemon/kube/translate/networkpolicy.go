// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"errors"
	"fmt"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
)

// NetworkPolicy is the record of a policy.
func NetworkPolicy(p *networkingv1.NetworkPolicy) *netpolicy.Policy {
	out := &netpolicy.Policy{ID: identity.NetworkPolicy{Namespace: p.Namespace, Name: p.Name}}
	types := p.Spec.PolicyTypes
	if len(types) == 0 { // the API server's default
		types = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
		if len(p.Spec.Egress) > 0 {
			types = append(types, networkingv1.PolicyTypeEgress)
		}
	}
	if slices.Contains(types, networkingv1.PolicyTypeIngress) {
		out.Ingress.Isolates = true
		for i, r := range p.Spec.Ingress {
			allow(&out.Ingress, fmt.Sprintf("ingress[%d]", i), i+1, "from", r.From, r.Ports)
		}
	}
	if slices.Contains(types, networkingv1.PolicyTypeEgress) {
		out.Egress.Isolates = true
		for i, r := range p.Spec.Egress {
			allow(&out.Egress, fmt.Sprintf("egress[%d]", i), i+1, "to", r.To, r.Ports)
		}
	}
	var err error
	if out.Pods, err = selector(&p.Spec.PodSelector); err != nil {
		for _, d := range []*netpolicy.Direction{&out.Ingress, &out.Egress} {
			if d.Isolates { // more pods than intended are isolated: none of them may be allowed anything by this
				d.Rules, d.Unread = nil, append(d.Unread, fmt.Sprintf("podSelector: %v", err))
			}
		}
	}
	return out
}

// allow adds the valid part of a rule. A non-empty list without valid entries adds no rule: an empty one would allow all.
func allow(d *netpolicy.Direction, field string, place int, side string, peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort) {
	rule := netpolicy.Rule{Number: place}
	for i := range peers {
		peer, err := policyPeer(&peers[i])
		if err != nil {
			d.Unread = append(d.Unread, fmt.Sprintf("%s.%s[%d]: %v", field, side, i, err))
			continue
		}
		rule.Peers = append(rule.Peers, peer)
	}
	for i := range ports {
		port, err := policyPort(&ports[i])
		if err != nil {
			d.Unread = append(d.Unread, fmt.Sprintf("%s.ports[%d]: %v", field, i, err))
			continue
		}
		rule.Ports = append(rule.Ports, port)
	}
	if len(peers) > 0 && len(rule.Peers) == 0 || len(ports) > 0 && len(rule.Ports) == 0 {
		return
	}
	d.Rules = append(d.Rules, rule)
}

func policyPeer(p *networkingv1.NetworkPolicyPeer) (out netpolicy.Peer, err error) {
	if p.IPBlock != nil {
		if p.PodSelector != nil || p.NamespaceSelector != nil {
			return out, errors.New("ipBlock goes with no selector")
		}
		if out.Block, err = prefix(p.IPBlock.CIDR); err != nil {
			return out, fmt.Errorf("ipBlock.cidr: %w", err)
		}
		for _, text := range p.IPBlock.Except {
			except, err := prefix(text)
			if err != nil {
				return out, fmt.Errorf("ipBlock.except: %w", err)
			}
			out.Except = append(out.Except, except)
		}
		return out, nil
	}
	if p.PodSelector == nil && p.NamespaceSelector == nil {
		return out, errors.New("it has none of ipBlock, namespaceSelector and podSelector")
	}
	if out.Own = p.NamespaceSelector == nil; !out.Own {
		if out.Namespaces, err = selector(p.NamespaceSelector); err != nil {
			return out, fmt.Errorf("namespaceSelector: %w", err)
		}
	}
	if out.Pods, err = selector(p.PodSelector); err != nil {
		return out, fmt.Errorf("podSelector: %w", err)
	}
	return out, nil
}

func policyPort(p *networkingv1.NetworkPolicyPort) (out netpolicy.Port, err error) {
	if p.Protocol != nil {
		out.Protocol, err = protocol(*p.Protocol)
	} else {
		out.Protocol, err = protocol("")
	}
	switch {
	case err != nil:
		return out, err
	case p.Port == nil && p.EndPort == nil:
		return out, nil
	case p.Port == nil:
		return out, errors.New("endPort goes with port")
	case p.Port.Type == intstr.String && p.EndPort != nil:
		return out, errors.New("endPort goes with no name")
	case p.Port.Type == intstr.String:
		if out.Name = p.Port.StrVal; out.Name == "" {
			return out, errors.New("the name of the port is empty")
		}
		return out, nil
	}
	out.First = number(p.Port.IntVal)
	out.Last = out.First
	if p.EndPort != nil {
		out.Last = number(*p.EndPort)
	}
	if out.First == 0 || out.Last < out.First {
		return out, fmt.Errorf("ports %d to %d are no range", out.First, out.Last)
	}
	return out, nil
}

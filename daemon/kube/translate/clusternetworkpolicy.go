// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/network-policy-api/apis/v1alpha2"

	"github.com/contiv/contiv/netpolicy"
)

// ClusterNetworkPolicy is the record of a policy of the whole cluster. A policy with an invalid place among the others denies all traffic
// of its pods, before all others.
func ClusterNetworkPolicy(p *v1alpha2.ClusterNetworkPolicy) *netpolicy.ClusterPolicy {
	out := &netpolicy.ClusterPolicy{Name: p.Name, Tier: netpolicy.Tier(p.Spec.Tier), Priority: int(p.Spec.Priority)}
	for i, r := range p.Spec.Ingress {
		var peers []clusterPeer
		for _, from := range r.From {
			peers = append(peers, clusterPeer{namespaces: from.Namespaces, pods: from.Pods})
		}
		judge(&out.Ingress, fmt.Sprintf("ingress[%d]", i), netpolicy.ClusterRule{Name: r.Name, Action: netpolicy.Action(r.Action), Rule: netpolicy.Rule{Number: i + 1}}, peers, r.Protocols)
	}
	for i, r := range p.Spec.Egress {
		var peers []clusterPeer
		for _, to := range r.To {
			peers = append(peers, clusterPeer{to.Namespaces, to.Pods, to.Networks})
		}
		judge(&out.Egress, fmt.Sprintf("egress[%d]", i), netpolicy.ClusterRule{Name: r.Name, Action: netpolicy.Action(r.Action), Rule: netpolicy.Rule{Number: i + 1}}, peers, r.Protocols)
	}
	err := errors.Join(subject(out, &p.Spec.Subject), existing(out))
	if err == nil {
		return out
	}
	out.Tier, out.Priority = netpolicy.TierAdmin, 0
	deny := netpolicy.ClusterDirection{Rules: []netpolicy.ClusterRule{{Action: netpolicy.Deny}}, Unread: []string{err.Error()}}
	out.Ingress, out.Egress = deny, deny
	return out
}

// existing checks a policy's place and size.
func existing(p *netpolicy.ClusterPolicy) error {
	switch {
	case p.Tier != netpolicy.TierAdmin && p.Tier != netpolicy.TierBaseline:
		return fmt.Errorf("tier: %q is none of %s and %s", p.Tier, netpolicy.TierAdmin, netpolicy.TierBaseline)
	case p.Priority < 0 || p.Priority > netpolicy.MaxPriority:
		return fmt.Errorf("priority: %d is not within 0..%d", p.Priority, netpolicy.MaxPriority)
	case max(len(p.Ingress.Rules), len(p.Egress.Rules)) > netpolicy.MaxRules:
		return fmt.Errorf("rules: a direction has more than %d", netpolicy.MaxRules)
	}
	return nil
}

// subject reads the pods that a policy judges. Invalid parts are left out, so that more pods are selected.
func subject(out *netpolicy.ClusterPolicy, s *v1alpha2.ClusterNetworkPolicySubject) (err error) {
	switch {
	case s.Pods != nil && s.Namespaces == nil:
		var pods error
		out.Namespaces, err = selector(&s.Pods.NamespaceSelector)
		out.Pods, pods = selector(&s.Pods.PodSelector)
		err = errors.Join(err, pods)
	case s.Namespaces != nil && s.Pods == nil:
		out.Namespaces, err = selector(s.Namespaces)
	default:
		err = errors.New("it has not exactly one of namespaces and pods")
	}
	if err != nil {
		return fmt.Errorf("subject: %w", err)
	}
	return nil
}

// judge adds a rule, as far as it is valid: an invalid accept is dropped, and an invalid rule that denies or passes denies all.
func judge(d *netpolicy.ClusterDirection, field string, rule netpolicy.ClusterRule, peers []clusterPeer, protocols []v1alpha2.ClusterNetworkPolicyProtocol) {
	var unread []string
	for i := range peers {
		list, err := peers[i].read()
		if err != nil {
			unread = append(unread, fmt.Sprintf("%s, peer %d: %v", field, i+1, err))
			continue
		}
		rule.Peers = append(rule.Peers, list...)
	}
	for i := range protocols {
		port, err := clusterPort(&protocols[i])
		if err != nil {
			unread = append(unread, fmt.Sprintf("%s.protocols[%d]: %v", field, i, err))
			continue
		}
		rule.Ports = append(rule.Ports, port)
	}
	if len(peers) == 0 {
		unread = append(unread, field+": it names no peer")
	}
	known := rule.Action == netpolicy.Accept || rule.Action == netpolicy.Deny || rule.Action == netpolicy.Pass
	if !known {
		unread = append(unread, fmt.Sprintf("%s.action: %q is none of %s, %s and %s", field, rule.Action, netpolicy.Accept, netpolicy.Deny, netpolicy.Pass))
	}
	d.Unread = append(d.Unread, unread...)
	switch {
	case len(unread) == 0:
	case rule.Action != netpolicy.Accept:
		rule.Action, rule.Peers, rule.Ports = netpolicy.Deny, nil, nil
	case len(rule.Peers) == 0 || len(protocols) > 0 && len(rule.Ports) == 0:
		return
	}
	d.Rules = append(d.Rules, rule)
}

// clusterPeer is the other side in a rule of either direction.
type clusterPeer struct {
	namespaces *metav1.LabelSelector
	pods       *v1alpha2.NamespacedPod
	networks   []v1alpha2.CIDR
}

// read resolves the peer. Nodes and domain names, of the experimental channel, are not supported: none of these fields is set then.
func (p *clusterPeer) read() ([]netpolicy.Peer, error) {
	switch {
	case p.namespaces != nil && p.pods == nil && p.networks == nil:
		namespaces, err := selector(p.namespaces)
		return []netpolicy.Peer{{Namespaces: namespaces}}, err
	case p.pods != nil && p.namespaces == nil && p.networks == nil:
		namespaces, err := selector(&p.pods.NamespaceSelector)
		pods, wrong := selector(&p.pods.PodSelector)
		return []netpolicy.Peer{{Namespaces: namespaces, Pods: pods}}, errors.Join(err, wrong)
	case len(p.networks) > 0 && p.namespaces == nil && p.pods == nil:
		var out []netpolicy.Peer
		for _, text := range p.networks {
			block, err := prefix(string(text))
			if err != nil {
				return nil, fmt.Errorf("networks: %w", err)
			}
			out = append(out, netpolicy.Peer{Block: block})
		}
		return out, nil
	}
	return nil, errors.New("it has not exactly one of namespaces, pods and networks")
}

func clusterPort(p *v1alpha2.ClusterNetworkPolicyProtocol) (out netpolicy.Port, err error) {
	var port *v1alpha2.Port
	set := 0
	if p.TCP != nil {
		port, set = p.TCP.DestinationPort, set+1
		out.Protocol, err = protocol("TCP")
	}
	if p.UDP != nil {
		port, set = p.UDP.DestinationPort, set+1
		out.Protocol, err = protocol("UDP")
	}
	if p.SCTP != nil {
		port, set = p.SCTP.DestinationPort, set+1
		out.Protocol, err = protocol("SCTP")
	}
	if p.DestinationNamedPort != "" {
		out.Name, set = p.DestinationNamedPort, set+1
	}
	switch {
	case err != nil:
		return out, err
	case set != 1:
		return out, errors.New("it has not exactly one of tcp, udp, sctp and destinationNamedPort")
	case port == nil:
		return out, nil
	case port.Range != nil:
		out.First, out.Last = number(port.Range.Start), number(port.Range.End)
	default:
		out.First, out.Last = number(port.Number), number(port.Number)
	}
	if out.First == 0 || out.Last < out.First || port.Range != nil && port.Number != 0 {
		return out, errors.New("destinationPort has not exactly one of a number and a range from 1 to 65535")
	}
	return out, nil
}

package kubeview

import (
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/daemon/record"
)

// VerdictPolicy is a policy of a namespace.
func VerdictPolicy(p *record.NetworkPolicy) *verdict.NetworkPolicy {
	return &verdict.NetworkPolicy{Namespace: p.ID.Namespace, Name: p.ID.Name, Pods: selector(p.Pods), Ingress: side(&p.Ingress), Egress: side(&p.Egress)}
}

// VerdictClusterPolicy is a policy of the cluster.
func VerdictClusterPolicy(p *record.ClusterNetworkPolicy) *verdict.ClusterPolicy {
	return &verdict.ClusterPolicy{Name: p.Name, Baseline: p.Tier == record.TierBaseline, Priority: p.Priority, Namespaces: selector(p.Namespaces),
		Pods: selector(p.Pods), Ingress: clusterRules(p.Ingress.Rules), Egress: clusterRules(p.Egress.Rules)}
}

// VerdictPod returns the pod of an endpoint, nil if it has none.
func VerdictPod(e *record.Endpoint) *verdict.Pod {
	if e == nil || e.Pod.ID.IsZero() {
		return nil
	}
	p := &verdict.Pod{Namespace: e.Pod.ID.Namespace, Name: e.Pod.ID.Name, Labels: e.Labels}
	for _, n := range e.Pod.Ports {
		p.Ports = append(p.Ports, verdict.NamedPort{Name: n.Name, Protocol: int(n.Protocol), Port: int(n.Port)})
	}
	return p
}

func selector(s record.Selector) (out verdict.Selector) {
	for _, r := range s {
		out = append(out, verdict.Requirement{Key: r.Key, Operator: verdict.Operator(r.Operator), Values: r.Values})
	}
	return out
}

func side(d *record.PolicyDirection) verdict.PolicySide {
	out := verdict.PolicySide{Isolates: d.Isolates}
	for i := range d.Rules {
		out.Rules = append(out.Rules, verdictRule(&d.Rules[i]))
	}
	return out
}

func clusterRules(list []record.ClusterRule) (out []verdict.ClusterRule) {
	for i := range list {
		one := verdict.ClusterRule{PolicyRule: verdictRule(&list[i].PolicyRule), Action: verdict.Deny}
		switch list[i].Action {
		case record.ClusterAccept:
			one.Action = verdict.Accept
		case record.ClusterPass:
			one.Action = verdict.Pass
		}
		out = append(out, one)
	}
	return out
}

func verdictRule(r *record.PolicyRule) verdict.PolicyRule {
	out := verdict.PolicyRule{Number: r.Number}
	for _, p := range r.Peers {
		out.Peers = append(out.Peers, verdict.PolicyPeer{Block: p.Block, Except: p.Except, Own: p.Own, Namespaces: selector(p.Namespaces), Pods: selector(p.Pods)})
	}
	for _, p := range r.Ports {
		out.Ports = append(out.Ports, verdict.PolicyPort{Protocol: int(p.Protocol), First: int(p.First), Last: int(p.Last), Name: p.Name})
	}
	return out
}

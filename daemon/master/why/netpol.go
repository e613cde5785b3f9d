// SPDX-License-Identifier: Apache-2.0

package why

import (
	"cmp"
	"fmt"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/daemon/kubeview"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/oper"
	"github.com/contiv/contiv/daemon/record"
)

// isPod reports whether an endpoint belongs to the pod "namespace/name".
func isPod(e *record.Endpoint, text string) bool {
	return !e.Pod.ID.IsZero() && e.Pod.ID.Path() == text
}

// evaluate evaluates the rules of both sides, and then the network policies of Kubernetes: a packet passes if both permit it.
func evaluate(v *catalog.View, rules *verdict.Policies, from, to end, q model.WhyRequest) model.WhyIntent {
	said := judge(rules, point(v, from), point(v, to), q.Protocol, q.Port)
	own, far := policyEnd(from), policyEnd(to)
	if said.Verdict == model.VerdictDenied || own.Pod == nil && far.Pod == nil {
		return said
	}
	if v.IsPast() {
		said.Verdict = model.VerdictUnknown
		said.Text += "; but the network policies of Kubernetes for " + cmp.Or(podOf(from), podOf(to)) + " are not recorded"
		return said
	}
	t := packetOf(q.Protocol, q.Port, from.address.Is6())
	d := oper.Judges(v, own.Pod, far.Pod).Packet(own, far, t)
	what := traffic(q.Protocol, q.Port)
	for _, side := range []struct {
		verdict.Sentence
		end, verb, direction string
		by                   *string
	}{{d.Out, from.name, "send", "egress", &said.Out}, {d.In, to.name, "receive", "ingress", &said.In}} {
		by := side.By
		if by.Policy == "" {
			continue
		}
		name := "networkpolicy " + by.Policy
		if by.Cluster {
			name = "clusternetworkpolicy " + by.Policy
		}
		*side.by = name
		rule := fmt.Sprintf("%s rule %d of %s", side.direction, by.Rule, name)
		switch {
		case side.Allowed:
			said.Text += "; " + rule + " lets it " + side.verb + " it"
		case by.Rule == 0:
			said.Verdict, said.Text = model.VerdictDenied, fmt.Sprintf("%s isolates %s, and no policy lets it %s %s", name, side.end, side.verb, what)
			return said
		default:
			said.Verdict, said.Text = model.VerdictDenied, rule+" denies "+what
			return said
		}
	}
	if d.Out.By.Policy+d.In.By.Policy == "" {
		said.Text += ", and no network policy of Kubernetes speaks of it"
	}
	return said
}

// podOf returns the pod of an end, "" if it is none.
func podOf(e end) string {
	if e.endpoint == nil {
		return ""
	}
	return e.endpoint.Pod.ID.Path()
}

// policyEnd converts an end for the evaluation of network policies.
func policyEnd(e end) verdict.End {
	out := verdict.End{Addr: e.address, Pod: kubeview.VerdictPod(e.endpoint)}
	switch {
	case e.kind == kindHost:
		out.Pod, out.Node = nil, e.object
	case out.Pod != nil:
		out.Node = e.endpoint.Host
	}
	return out
}

// packetOf returns a packet that opens a connection, of one family.
func packetOf(protocol string, port int, six bool) verdict.Traffic {
	t := verdict.Traffic{Port: port, Protocol: map[string]int{icmp: verdict.ICMP, tcp: verdict.TCP, udp: verdict.UDP}[protocol]}
	if protocol == icmp && six {
		t.Protocol = verdict.ICMPv6
	}
	return t
}

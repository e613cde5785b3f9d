// SPDX-License-Identifier: Apache-2.0

package health

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// machines finds machines on which nothing answers: neither the agent nor the netmaster, if there is one.
func machines(s *Snapshot) (out []model.Finding) {
	masters := map[string]*model.Node{} // by host label
	topology := s.Topology()
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Role != model.RoleAgent {
			masters[topology.Machines["master/"+n.Name]] = n
		}
	}
	all := hosts(s)
	reports := reportsOf(all, model.FindingHostUnreachable, model.FindingTunnelBlocked)
	for _, n := range all {
		master, unreachable := masters[n.Name], reports[report{model.FindingHostUnreachable, "host/" + n.Name}]
		if n.Answered() || awaited(s, n.Name) || !silentAgent(n) && len(unreachable) == 0 || !silentMachine(master, len(unreachable) > 0) {
			continue
		}
		f := model.Finding{Code: model.FindingMachineSilent, Severity: model.SeverityError, Object: "host/" + n.Name, Next: "netctl node ls",
			Evidence: "its agent does not answer (" + n.Reason + ")"}
		if master != nil {
			f.Evidence = fmt.Sprintf("neither its agent (%s) nor its netmaster %s (%s) answers", n.Reason, master.Address, master.Reason)
		}
		switch blocked := reports[report{model.FindingTunnelBlocked, "host/" + n.Name}]; {
		case len(unreachable) > 0:
			f.Evidence += "; it does not answer in tunnels either, of " + brief(unreachable)
			f.Remedy = "start the machine, or connect it to the network again"
		case len(blocked) > 0:
			f.Evidence += "; nothing comes back in the tunnels to it from " + brief(blocked)
			f.Remedy = "start the machine, or connect it to the network again"
		default:
			f.Evidence += "; no host reports a fault of its tunnels to it, so its containers keep their network"
			f.Remedy = "check the machine's control network: its cable, its switch, the packet filters in it"
		}
		out = append(out, f)
	}
	if len(out)*2 > len(all) {
		for i := range out {
			out[i].Evidence += fmt.Sprintf("; the same is so of %d of %d hosts, so the netmaster that is asked may itself be cut off", len(out), len(all))
		}
	}
	return out
}

// silentMachine reports whether a host's netmaster, nil if the host has none, lets its machine count as silent: it does not answer, and its machine
// does not refuse the connection. Without a netmaster, other hosts have to report that they do not reach the machine.
func silentMachine(master *model.Node, unreachable bool) bool {
	if master == nil {
		return unreachable
	}
	for _, answer := range []string{model.WaitsFor, "refused", "reset by peer", "tls: ", "x509: ", model.CertificateRefused} {
		if strings.Contains(master.Reason, answer) {
			return false
		}
	}
	return !master.Answered()
}

// report is what agents report about an object.
type report struct {
	code   model.FindingCode
	object string
}

// reportsOf returns the hosts whose agents report findings of some codes, by what they report.
func reportsOf(all []*model.Node, codes ...model.FindingCode) map[report][]string {
	out := map[report][]string{}
	for _, n := range all {
		for i := range n.Findings {
			if f := &n.Findings[i]; slices.Contains(codes, f.Code) {
				r := report{f.Code, f.Object}
				out[r] = append(out[r], n.Name)
			}
		}
	}
	return out
}

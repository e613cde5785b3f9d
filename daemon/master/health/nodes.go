// SPDX-License-Identifier: Apache-2.0

package health

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// leader finds that no netmaster leads.
func leader(s *Snapshot) []model.Finding {
	if slices.ContainsFunc(s.Nodes, func(n model.Node) bool { return n.Role == model.RoleLeader }) {
		return nil
	}
	if i := slices.IndexFunc(s.Nodes, func(n model.Node) bool { return n.Role == model.RoleUnknown && n.Address == s.Holder }); i >= 0 {
		return []model.Finding{{Code: model.FindingLeaderUnknown, Severity: model.SeverityUnknown, Object: "cluster/leader",
			Evidence: "netmaster " + s.Holder + " holds the lock, and does not answer the netmaster that is asked: " + s.Nodes[i].Reason,
			Remedy:   "look at the way between the two; ask another netmaster", Next: "netctl leader"}}
	}
	return []model.Finding{{Code: model.FindingLeaderMissing, Severity: model.SeverityError, Object: "cluster/leader", Evidence: "no netmaster leads: nothing can be changed",
		Remedy: "start netmasters, and most of the store's members", Next: "netctl leader"}}
}

// stallTimeout is for how long a leader may commit nothing while requests wait before that is reported.
const stallTimeout = 3 * time.Second

// stalled finds that requests wait for the leader, which commits nothing.
func stalled(s *Snapshot) []model.Finding {
	if s.Stalled < stallTimeout {
		return nil
	}
	return []model.Finding{{Code: model.FindingCommitsStalled, Severity: model.SeverityError, Object: "cluster/leader",
		Evidence: fmt.Sprintf("the leader has committed nothing for %v, and %d requests wait", s.Stalled.Round(time.Second), s.Waiting),
		Remedy:   "wait: another netmaster takes over after 15 seconds; look at the leader's log for what was asked", Next: "netctl leader"}}
}

// masters finds netmasters that do not answer, and the problems that netmasters report of themselves.
func masters(s *Snapshot) (out []model.Finding) {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Role == model.RoleAgent {
			continue
		}
		f := model.Finding{Object: "master/" + n.Name, Severity: model.SeverityWarning, Next: "netctl node ls"}
		switch trouble := n.Kubernetes.Problem(); {
		case !n.Answered() && strings.HasPrefix(n.Reason, model.WaitsFor):
			f.Code, f.Evidence, f.Remedy = model.FindingMasterWaiting, "netmaster "+n.Address+" "+n.Reason, "give it what it waits for"
		case !n.Answered() && refusedCertificate(n.Reason):
			f.Code, f.Severity, f.Next = model.FindingCertificateEnded, model.SeverityError, "contiv cert show"
			f.Evidence = "netmaster " + n.Address + " is refused: " + n.Reason
			f.Remedy = "compare the clocks of both machines, and look at that netmaster's log for why it does not renew the certificate; restart it"
		case !n.Answered() && strings.HasPrefix(n.Reason, model.CertificateRefused):
			f.Code, f.Severity, f.Next = model.FindingCertificateRefused, model.SeverityError, "contiv cert show"
			f.Evidence, f.Remedy = "netmaster "+n.Address+" is not reached, since "+n.Reason, refusedRemedy
		case !n.Answered():
			f.Code, f.Evidence, f.Remedy = model.FindingMasterSilent, "netmaster "+n.Address+" does not answer: "+n.Reason+lastWords(s, n), "start it, and look at its log"
		case !n.Ready:
			f.Code, f.Evidence, f.Remedy = model.FindingMasterWaiting, "netmaster "+n.Address+" is not ready: "+n.Reason, "look at what it waits for"
		case trouble != "" && n.Kubernetes.Silent:
			f.Code, f.Severity, f.Evidence, f.Remedy = model.FindingKubernetesSilent, model.SeverityUnknown, trouble+"; pods that start wait for it", "look whether the API server of Kubernetes works, and the way to it"
		case trouble != "":
			f.Code, f.Severity, f.Evidence, f.Remedy = model.FindingKubernetesTrouble, model.SeverityError, trouble, "look whether the API server of Kubernetes runs, and lets netmaster in"
		default:
			continue
		}
		out = append(out, f)
	}
	return out
}

// backups finds netmasters that do not save the store as they are to.
func backups(s *Snapshot) (out []model.Finding) {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Snapshots == nil || n.Role == model.RoleAgent {
			continue
		}
		last := "there is none in " + n.Snapshots.Dir
		if n.Snapshots.Last != "" {
			last = "the newest in " + n.Snapshots.Dir + " is of " + n.Snapshots.Last
		}
		f := model.Finding{Object: "master/" + n.Name, Severity: model.SeverityWarning, Next: "contiv snapshot ls"}
		switch {
		case n.Snapshots.Error != "":
			f.Code, f.Evidence, f.Remedy = model.FindingBackupFailed, "the last snapshot of the store was not saved ("+n.Snapshots.Error+"); "+last, "do as the error says; save one with contiv snapshot save on that host"
		case n.Snapshots.Old:
			f.Code, f.Evidence, f.Remedy = model.FindingBackupOld, last+", and one is due every "+n.Snapshots.Interval, "save one with contiv snapshot save on that host, and look at its clock"
		default:
			continue
		}
		out = append(out, f)
	}
	return out
}

// agents finds agents that do not answer or do not do their duty.
func agents(s *Snapshot) (out []model.Finding) {
	for _, n := range hosts(s) {
		note := func(code model.FindingCode, severity model.Severity, evidence, remedy, next string) {
			out = append(out, model.Finding{Code: code, Severity: severity, Object: "host/" + n.Name, Evidence: evidence, Remedy: remedy, Next: next})
		}
		look := "netctl drift " + n.Name
		switch {
		case !n.Answered() && awaited(s, n.Name): // the finding adoption-waits names it
			continue
		case !n.Answered() && strings.HasPrefix(n.Reason, model.CertificateRefused):
			note(model.FindingCertificateRefused, model.SeverityError, "its agent has no connection to a netmaster, since "+n.Reason, refusedRemedy, "contiv cert ls")
			continue
		case !n.Answered() && !silentAgent(n):
			note(model.FindingAgentUnknown, model.SeverityUnknown, n.Reason, "start the netmaster that is named", "netctl node ls")
			continue
		case !n.Answered():
			note(model.FindingAgentSilent, model.SeverityError, n.Reason+lastWords(s, n), "start netplugin on the host, or look why it reaches no netmaster", "netctl node ls")
			continue
		case n.Errors > n.Named: // others have a finding of their own
			note(model.FindingObjectsFailed, model.SeverityError, fmt.Sprintf("%d objects do not work there: %s", n.Errors-n.Named, n.Reason), "do as the error says", look)
		case !n.Ready:
			note(model.FindingAgentWaiting, model.SeverityError, "it "+n.Reason, "look at what it waits for", "netctl node ls")
		}
		if n.Lag > 0 {
			note(model.FindingAgentLag, model.SeverityWarning, fmt.Sprintf("its switch is %d revisions of the store behind", n.Lag), "wait; when it stays so, look at the agent's log", "netctl node ls")
		}
		if n.Missing > 0 {
			note(model.FindingInterfacesMissing, model.SeverityWarning, fmt.Sprintf("%d endpoints have no interface there: not yet, or not any more", n.Missing), "wait for containers that start; recreate those that are named", look)
		}
		if n.Differs > 0 {
			note(model.FindingDrift, model.SeverityWarning, fmt.Sprintf("%d things there are not as they should be", n.Differs), look+" --repair", look)
		}
		if trouble := n.Docker.Problem(); trouble != "" {
			note(model.FindingDockerTrouble, model.SeverityWarning, trouble, "look at the host's Docker engine", "netctl docknet ls")
		}
	}
	return out
}

// lastWords returns the last error in the log of a daemon that does not answer, which the other daemon of its host reports; "" if that knows none.
func lastWords(s *Snapshot, of *model.Node) string {
	topology := s.Topology()
	machine := topology.machine(of)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if other := (n.Role == model.RoleAgent) != (of.Role == model.RoleAgent); other && n.OtherError != "" && n.Answered() && topology.machine(n) == machine {
			return "; the last error in its log: " + n.OtherError
		}
	}
	return ""
}

// machine returns the machine of a node: the label of its host, or an address.
func (t *Topology) machine(n *model.Node) string {
	if n.Role == model.RoleAgent {
		return n.Name
	}
	return t.Machines["master/"+n.Name]
}

// refusedRemedy is the remedy of a certificate that is refused.
const refusedRemedy = "compare the clocks of both machines; if the certificate is of another cluster or was revoked, run contiv join on that host again"

// silentAgent reports whether an agent is known not to answer, by a netmaster that answers.
func silentAgent(n *model.Node) bool {
	return !n.Answered() && !strings.HasPrefix(n.Reason, "unknown") && !strings.HasPrefix(n.Reason, model.CertificateRefused)
}

// hosts are the agents.
func hosts(s *Snapshot) []*model.Node {
	out := make([]*model.Node, 0, len(s.Nodes))
	for i := range s.Nodes {
		if s.Nodes[i].Role == model.RoleAgent {
			out = append(out, &s.Nodes[i])
		}
	}
	return out
}

// reported are the findings of agents.
func reported(s *Snapshot) (out []model.Finding) {
	for _, n := range hosts(s) {
		out = append(out, n.Findings...)
	}
	return out
}

// uplinks finds those that cannot be used.
func uplinks(s *Snapshot) (out []model.Finding) {
	for _, n := range hosts(s) {
		up := 0
		for _, u := range n.Uplinks {
			if u.Link {
				up++
			}
		}
		for _, u := range n.Uplinks {
			trouble := u.Problem()
			if trouble == "" {
				continue
			}
			f := model.Finding{Code: model.FindingUplinkDown, Severity: model.SeverityWarning, Host: n.Name, Object: "uplink/" + identity.Join(n.Name, u.Name),
				Evidence: "uplink " + u.Name + " of host " + n.Name + ": " + trouble, Remedy: "look at its cable and at the switch beyond", Next: "netctl node ls -o wide"}
			if up == 0 {
				f.Severity, f.Evidence = model.SeverityError, f.Evidence+", and no other has one: VLAN networks end at this host"
			}
			out = append(out, f)
		}
	}
	return out
}

// mtus finds hosts whose tunnels carry less than those of most.
func mtus(s *Snapshot) (out []model.Finding) {
	common := commonValue(s, func(n *model.Node) string {
		if n.MTU == 0 {
			return ""
		}
		return strconv.Itoa(n.MTU)
	})
	for _, n := range hosts(s) {
		if mtu := strconv.Itoa(n.MTU); n.MTU != 0 && mtu != common {
			out = append(out, model.Finding{Code: model.FindingMTUDiffers, Severity: model.SeverityError, Object: "host/" + n.Name,
				Evidence: fmt.Sprintf("the interface of its tunnel address %s has MTU %s, others have %s: large packets between them are lost", n.VTEP, mtu, common),
				Remedy:   "give the interfaces of all hosts, and the switches between them, the same MTU", Next: "netctl node ls -o wide"})
		}
	}
	return out
}

// versions finds nodes of another version than most have.
func versions(s *Snapshot) (out []model.Finding) {
	count := map[string]int{}
	for i := range s.Nodes {
		if v := s.Nodes[i].Version; v != "" && s.Nodes[i].Answered() {
			count[v]++
		}
	}
	common := commonest(count)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if !n.Answered() || n.Version == "" || n.Version == common {
			continue
		}
		object := "host/" + n.Name
		if n.Role != model.RoleAgent {
			object = "master/" + n.Name
		}
		out = append(out, model.Finding{Code: model.FindingVersionSkew, Severity: model.SeverityWarning, Object: object, Evidence: "it is of version " + n.Version + ", others are of " + common,
			Remedy: "finish the upgrade", Next: "netctl node ls"})
	}
	return out
}

// addresses finds tunnel ends and control addresses that several hosts have.
func addresses(s *Snapshot) (out []model.Finding) {
	all := hosts(s)
	first := make(map[string]string, 2*len(all)) // names
	by := map[string][]string{}                  // names, if they are several
	for _, n := range all {
		for _, a := range [...]string{n.VTEP, n.Address} {
			if a == "" {
				continue
			}
			name, has := first[a]
			if !has {
				first[a] = n.Name
				continue
			}
			by[a] = append(by[a], name, n.Name)
		}
	}
	for _, a := range slices.Sorted(maps.Keys(by)) {
		if names := slices.Compact(slices.Sorted(slices.Values(by[a]))); len(names) > 1 {
			out = append(out, model.Finding{Code: model.FindingAddressTwice, Severity: model.SeverityError, Object: "address/" + a, Peers: names, Evidence: "hosts " + strings.Join(names, " and ") + " both have " + a,
				Remedy: "give each host an address of its own: --vtep-ip, --ctrl-ip", Next: "netctl node ls -o wide"})
		}
	}
	return out
}

// stillError is how often a part of the store is sent again, without the agent holding the same after it, until that is an error.
const stillError = 3

// differed finds agents that hold, or held, other records than their netmasters.
func differed(s *Snapshot) (out []model.Finding) {
	for _, n := range hosts(s) {
		if len(n.Differed) == 0 {
			continue
		}
		f := model.Finding{Code: model.FindingRecordsDiffered, Severity: model.SeverityWarning, Object: "host/" + n.Name, Next: "netctl events",
			Remedy: "nothing if it happens once; if it happens again, check the memory and the disk of the host"}
		var parts []string
		for _, d := range n.Differed {
			text := fmt.Sprintf("%s (sent again %d times, last %s", d.Shard, d.Times, d.Last)
			if d.Still {
				text += ", and not confirmed yet"
			}
			parts = append(parts, text+")")
			if d.Still && d.Times >= stillError {
				f.Severity, f.Remedy = model.SeverityError, "restart its agent, and keep its log"
			}
		}
		f.Evidence = "its agent held other records than the store has, of " + some(parts)
		out = append(out, f)
	}
	return out
}

// some names the first of several, and how many others there are.
func some(parts []string) string {
	const shown = 3
	if more := len(parts) - shown; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(parts[:shown], ", "), more)
	}
	return strings.Join(parts, ", ")
}

// commonValue is the value that most hosts report, of those that report one.
func commonValue(s *Snapshot, of func(n *model.Node) string) string {
	count := map[string]int{}
	for _, n := range hosts(s) {
		if v := of(n); v != "" {
			count[v]++
		}
	}
	return commonest(count)
}

// commonest is the text that counts most; of several, the greatest.
func commonest(count map[string]int) string {
	texts := slices.Collect(maps.Keys(count))
	if len(texts) == 0 {
		return ""
	}
	return slices.MaxFunc(texts, func(a, b string) int {
		return cmp.Or(count[a]-count[b], len(a)-len(b), cmp.Compare(a, b))
	})
}

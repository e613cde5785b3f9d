// SPDX-License-Identifier: Apache-2.0

// Package upgrade plans the upgrade, or downgrade, of a cluster to another build: the order of its daemons, what each step interrupts, and
// what forbids it now. It only computes.
package upgrade

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/skew"
)

// Build is the build to which a cluster is brought.
type Build struct {
	Version  string     `json:"version"`
	Protocol skew.Range `json:"protocol"` // between agents and netmasters
	Records  skew.Range `json:"records"`  // in the store
}

// State is the state of a cluster, as a netmaster reports it.
type State struct {
	Nodes   []model.Node
	Members []model.StoreMember // of an embedded store, which restart with their netmasters; nil: the store is apart, or unknown
	Health  model.Health
}

// Step is the restart of one daemon by the new build, or a handover before it.
type Step struct {
	Host    string `json:"host"` // label of an agent, address of a netmaster
	Daemon  string `json:"daemon"`
	Version string `json:"version,omitempty"` // that it runs now; "": unknown
	Command string `json:"command"`           // on the host, once the new programs are there
	Effect  string `json:"effect"`            // what is interrupted meanwhile
}

// Plan is what to do, in this order.
type Plan struct {
	To       Build    `json:"to"`
	Steps    []Step   `json:"steps"`
	Blockers []string `json:"blockers,omitempty"` // reasons not to begin
	Remarks  []string `json:"remarks,omitempty"`
}

// The daemons of a host.
const (
	netmaster = "netmaster"
	netplugin = "netplugin"
)

// Make returns the plan for a cluster. Daemons that run the build already need no step: a second plan continues where the upgrade was
// interrupted.
func Make(s State, to Build) Plan {
	p := Plan{To: to}
	masters, agents := nodes(s.Nodes)
	for _, n := range masters {
		if n.Role == model.RoleLeader && n.Version != to.Version {
			if len(masters) > 1 {
				p.add(n, netmaster, "netctl leader handover", "changes wait for about a second")
			}
			p.add(n, netmaster, "systemctl restart contiv-netmaster", leading(len(masters)))
		} else if n.Version != to.Version {
			p.add(n, netmaster, "systemctl restart contiv-netmaster", follower(len(masters)))
		}
	}
	for _, n := range agents {
		switch {
		case n.Version == to.Version:
		case n.Down:
			p.Remarks = append(p.Remarks, fmt.Sprintf("host %s is down: upgrade its netplugin before it comes back, or then", n.Name))
		default:
			p.add(n, netplugin, "systemctl restart contiv-netplugin", "none for packets; containers that start meanwhile wait for it")
		}
	}
	for _, n := range slices.Concat(masters, agents) {
		p.Blockers = append(p.Blockers, blockers(n, to)...)
	}
	p.judge(s, len(masters))
	return p
}

// nodes returns the netmasters, the leader last, and the agents.
func nodes(all []model.Node) (masters, agents []*model.Node) {
	for i := range all {
		if n := &all[i]; n.Role == model.RoleAgent {
			agents = append(agents, n)
		} else {
			masters = append(masters, n)
		}
	}
	slices.SortFunc(agents, func(a, b *model.Node) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(masters, func(a, b *model.Node) int {
		return cmp.Or(compare(a.Role == model.RoleLeader, b.Role == model.RoleLeader), cmp.Compare(a.Address, b.Address))
	})
	return masters, agents
}

// compare orders false before true.
func compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (p *Plan) add(n *model.Node, daemon, command, effect string) {
	p.Steps = append(p.Steps, Step{Host: n.Name, Daemon: daemon, Version: n.Version, Command: command, Effect: effect})
}

// leading describes the restart of the netmaster that led until then.
func leading(masters int) string {
	if masters == 1 {
		return "nothing can be changed for some seconds, and no container starts"
	}
	return follower(masters)
}

// follower describes the restart of a netmaster that does not lead.
func follower(masters int) string {
	if masters == 2 {
		return "with an embedded store, nothing can be changed for some seconds"
	}
	return "none: its clients use the other netmasters"
}

// blockers returns why a node forbids the upgrade.
func blockers(n *model.Node, to Build) (out []string) {
	name := netplugin + " on " + n.Name
	if n.Role != model.RoleAgent {
		name = netmaster + " " + n.Name
	}
	if !n.Ready && !n.Down {
		out = append(out, fmt.Sprintf("%s is not ready: %s", name, cmp.Or(n.Reason, "it gives no reason")))
	}
	for _, of := range []struct {
		what, text string
		to         skew.Range
	}{{"protocol of agents", n.Protocol, to.Protocol}, {"format of the store's records", n.Records, to.Records}} {
		r, err := skew.Parse(of.text)
		switch {
		case err != nil:
			out = append(out, fmt.Sprintf("%s: %s: %v", name, of.what, err))
		case r.Common(of.to) == 0:
			out = append(out, fmt.Sprintf("%s knows version %s of the %s, version %s of contiv knows %s: upgrade to a release between them first", name, r, of.what, to.Version, of.to))
		}
	}
	return out
}

// judge adds what concerns the whole cluster.
func (p *Plan) judge(s State, masters int) {
	errors := 0
	for i := range s.Health.Findings {
		if s.Health.Findings[i].Severity == model.SeverityError {
			errors++
		}
	}
	if errors > 0 {
		p.Blockers = append(p.Blockers, fmt.Sprintf("problems of severity error: %d, the first one %s of %s: netctl status shows them", errors, s.Health.Findings[0].Code, s.Health.Findings[0].Object))
	}
	if masters == 0 {
		p.Blockers = append(p.Blockers, "no netmaster is known")
	}
	for i := range s.Members {
		if m := &s.Members[i]; m.Error != "" {
			p.Blockers = append(p.Blockers, fmt.Sprintf("member %s of the store does not answer: %s", m.Name, m.Error))
		}
	}
	if len(p.Steps) > 0 {
		p.Remarks = append(p.Remarks, "go to the next step when netctl node ls shows the daemon as ready", "a downgrade has the same steps, with the former programs")
	}
}

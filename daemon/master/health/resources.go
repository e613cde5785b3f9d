// SPDX-License-Identifier: Apache-2.0

package health

import (
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/usage"
)

// resources finds netmasters that have hardly anything left of what can run out: what else they find then, of members of the store and of
// others, may be due to that. Agents check themselves, and the machines that they are on.
func resources(s *Snapshot) (out []model.Finding) {
	agents := map[string]bool{} // labels of hosts whose agents answer
	for _, n := range hosts(s) {
		agents[n.Name] = n.Answered()
	}
	topology := s.Topology()
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Role == model.RoleAgent {
			continue
		}
		list := n.Resources
		if d := n.Descriptors; len(list) == 0 && d != nil { // an earlier build reports nothing else
			list = []model.Resource{{Name: "descriptors", Used: uint64(d.Used), Max: uint64(d.Max)}}
		}
		object := "master/" + n.Name
		if agents[topology.Machines[object]] {
			list = slices.DeleteFunc(slices.Clone(list), func(r model.Resource) bool { return r.Of == model.Machine })
		}
		out = append(out, usage.Findings(usage.Daemon{Name: "netmaster " + n.Address, Object: object, Lost: "without one it answers nobody and reaches no member of the store",
			Next: "netctl leader"}, list)...)
	}
	return out
}

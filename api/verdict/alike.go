// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// Alike returns the numbers of parties that no rule of the tenant distinguishes, ascending, and in the order of the first of each. Between
// has the same fates for any two parties of two such lists, by rules of the same content.
func (p *Policies) Alike(parties []Party) (out [][]int) {
	groups, networks, addresses := map[string]bool{}, map[string]bool{}, false
	for _, rules := range p.rules {
		for _, r := range rules {
			groups[r.FromEndpointGroup], groups[r.ToEndpointGroup] = true, true
			networks[r.FromNetwork], networks[r.ToNetwork] = true, true
			addresses = addresses || r.FromIpAddress != "" || r.ToIpAddress != ""
		}
	}
	by := map[string]int{}
	for i, party := range parties {
		signature := "outside"
		if g := party.Group; g != nil {
			parts := []string{"group"}
			if groups[g.GroupName] {
				parts = append(parts, "name "+g.GroupName)
			}
			if networks[g.NetworkName] || addresses {
				parts = append(parts, "network "+g.NetworkName)
			}
			if addresses {
				parts = append(parts, "pool "+g.IpPool)
			}
			signature = strings.Join(append(parts, p.contents(g)...), "\n")
		}
		k, known := by[signature]
		if !known {
			k = len(out)
			by[signature] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}

// contents are the rules of a group without their names, in order.
func (p *Policies) contents(g *model.EndpointGroup) (out []string) {
	for _, name := range g.Policies {
		for _, r := range p.rules[name] {
			out = append(out, fmt.Sprintf("rule %q", []any{r.Direction, r.Priority, r.Action, r.Protocol, r.Port, r.FromEndpointGroup, r.ToEndpointGroup,
				r.FromNetwork, r.ToNetwork, r.FromIpAddress, r.ToIpAddress}))
		}
	}
	slices.Sort(out)
	return out
}

// Class is the kind of a sum of verdicts.
type Class uint8

// The classes.
const (
	Unjudged  Class = iota // nobody judges it
	All                    // all traffic
	None                   // no traffic
	Some                   // the traffic that the sum names
	ByAddress              // it depends on addresses within a group
)

// String is a word for the class.
func (c Class) String() string {
	return [...]string{"not judged", "all", "none", "some", "by address"}[c]
}

// ClassOf returns the class of the text of a Summary, or of a cell of a model.WorkloadMatrix.
func ClassOf(sum string) Class {
	switch {
	case sum == "" || sum == "not judged":
		return Unjudged
	case sum == "all":
		return All
	case sum == "none" || strings.HasPrefix(sum, "none:"):
		return None
	case strings.Contains(sum, "?"):
		return ByAddress
	}
	return Some
}

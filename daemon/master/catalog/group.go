package catalog

import (
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ipam"
)

func (v *View) putGroup(g *record.Group) error {
	if old := v.groups[g.ID]; old != nil {
		if old.EndpointGroupID == g.EndpointGroupID && old.NetworkName == g.NetworkName && old.IPPool == g.IPPool && old.PktTag == g.PktTag {
			v.groups[g.ID] = g // its number and its addresses stay, with those that its endpoints have
			return nil
		}
		v.dropGroup(record.Groups + g.ID)
	}
	v.groups[g.ID] = g
	err := firstOf(v.useGroup(g.EndpointGroupID), v.takeGroupVLAN(g))
	n := v.networks[g.NetworkName+"."+g.TenantName]
	if n == nil {
		v.homeless[g.NetworkName+"."+g.TenantName] = struct{}{}
	}
	if g.IPPool == "" || n == nil || n.Pool4 == nil || n.blocks[g.ID] != nil {
		return err
	}
	spec, _ := Spec4(n.Record)
	r, parseErr := ipam.ParseRange(g.IPPool, spec.Prefix)
	if parseErr != nil {
		return parseErr
	}
	block, carveErr := n.Pool4.Carve(r.First, r.Last)
	if carveErr != nil {
		v.other = v.other || len(v.byGroup[g.ID]) > 0 // its endpoints came before it, and have taken their addresses from the network
		return carveErr
	}
	n.blocks[g.ID] = block
	return err
}

func (v *View) dropGroup(key string) {
	id := strings.TrimPrefix(key, record.Groups)
	g := v.groups[id]
	if g == nil {
		return
	}
	delete(v.groups, id)
	v.leaveGroup(g.EndpointGroupID)
	v.releaseGroupVLAN(id)
	if n := v.networks[g.NetworkName+"."+g.TenantName]; n != nil && n.blocks[id] != nil {
		_ = n.Pool4.Uncarve(n.blocks[id])
		delete(n.blocks, id)
	}
}

// useGroup notes that one more record mentions a group's number: it is not given to another group while any does, be it
// the record of a rule that is still to be removed. 0 is no group.
func (v *View) useGroup(number int) error {
	if number == 0 {
		return nil
	}
	v.groupUsers[number]++
	if v.groupUsers[number] > 1 {
		return nil
	}
	return ignoreTaken(v.numbers.Groups.Take(number))
}

// leaveGroup is the end of useGroup.
func (v *View) leaveGroup(number int) {
	if number == 0 {
		return
	}
	if v.groupUsers[number]--; v.groupUsers[number] == 0 {
		delete(v.groupUsers, number)
		v.numbers.Groups.Release(number)
	}
}

// takeGroupVLAN marks the VLAN id that is a group's own, as in an ACI fabric: not its network's.
func (v *View) takeGroupVLAN(g *record.Group) error {
	n := v.networks[g.NetworkName+"."+g.TenantName]
	if g.PktTagType != "vlan" || g.PktTag == 0 || n == nil || n.Record.PktTag == g.PktTag {
		return nil
	}
	v.groupVLANs[g.ID] = g.PktTag
	return ignoreTaken(v.numbers.VLANs.Take(g.PktTag))
}

func (v *View) releaseGroupVLAN(id string) {
	if vlan := v.groupVLANs[id]; vlan != 0 {
		v.numbers.VLANs.Release(vlan)
		delete(v.groupVLANs, id)
	}
}

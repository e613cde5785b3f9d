package sync

import (
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// In an ACI fabric every group has a VLAN of its own: its containers are on a segment named like the group, with the
// addresses of the network, and the fabric decides who reaches whom.

// ownVLAN is a group's network with the VLAN id of the group; ok is false for a group that shares its network's.
func (r *records) ownVLAN(group string) (n record.Network, ok bool) {
	g, known := r.groups[group]
	if !known || g.PktTagType != "vlan" || g.PktTag == 0 {
		return n, false
	}
	n, known = r.networks[networkOf(&g)]
	if !known || n.PktTag == g.PktTag {
		return n, false
	}
	n.ID, n.PktTag = group, g.PktTag
	return n, true
}

// networkOf is the state id of a group's network.
func networkOf(g *record.Group) string { return g.NetworkName + "." + g.TenantName }

// withGroupSegments adds to keys the segments of groups that change with a group or network, and who is on them.
func (r *records) withGroupSegments(keys []ofnet.Key) []ofnet.Key {
	groups, networks := map[string]bool{}, map[string]bool{}
	for _, k := range keys {
		switch k.Kind {
		case ofnet.KindGroup:
			groups[k.Name] = true
		case ofnet.KindSegment:
			networks[k.Name] = true
		}
	}
	if len(networks) > 0 {
		for id, g := range r.groups {
			if networks[networkOf(&g)] {
				groups[id] = true
			}
		}
	}
	if len(groups) == 0 {
		return keys
	}
	out := append([]ofnet.Key{}, keys...)
	apart := false
	for id := range groups {
		out = append(out, ofnet.Key{Kind: ofnet.KindSegment, Name: id})
		_, own := r.ownVLAN(id)
		apart = apart || own
	}
	if !apart {
		return out
	}
	for id, e := range r.endpoints {
		if groups[e.EndpointGroupKey] {
			out = append(out, ofnet.Key{Kind: ofnet.KindEndpoint, Name: id})
		}
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// In an ACI fabric every group has its own VLAN: its containers are on their own segment, "tenant:network/group", with the addresses of the
// network, and the fabric enforces the policies.

// ownVLAN returns a group's network with the VLAN id of the group; ok is false for a group that shares its network's.
func (r *records) ownVLAN(group string) (n record.Network, ok bool) {
	g := r.groups.Get(group)
	if g == nil || g.Encap != record.VLAN || g.PktTag == 0 {
		return n, false
	}
	shared := r.networks.Get(g.Network.String())
	if shared == nil || shared.PktTag == g.PktTag {
		return n, false
	}
	n = *shared
	n.ID, n.PktTag = identity.GroupSegment(n.ID, g.ID.Name), g.PktTag
	return n, true
}

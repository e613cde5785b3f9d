// SPDX-License-Identifier: Apache-2.0

package identity

import "strings"

// GroupSegment is the identity of the segment that a group has for itself, with the addresses of its network: no name contains a slash.
func GroupSegment(n Network, group string) Network {
	return Network{Tenant: n.Tenant, Name: n.Name + "/" + group}
}

// SegmentGroup returns the group that has its own segment, from the text form of the segment; zero if the segment is a network's.
func SegmentGroup(segment string) Group {
	tenant, name, _ := strings.Cut(segment, ":")
	if _, group, ok := strings.Cut(name, "/"); ok {
		return Group{Tenant: tenant, Name: group}
	}
	return Group{}
}

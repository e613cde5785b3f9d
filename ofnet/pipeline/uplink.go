// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// uplinkGroup is the exit by a trunk of several members: by the first live one (fast failover, OpenFlow 1.3.5 section 5.6.1) or, if the
// physical switch aggregates them, by a live one chosen by the connection's hash. Open vSwitch regards a member as live if it has a link
// and, with LACP, a partner in sync. So the group fails over without an agent.
const uplinkGroup = 0x04 << 24

// toUplink sends the frame out by the trunk.
func toUplink(s *ofnet.State) flow.Action {
	if len(s.Local.Backup) == 0 {
		return flow.Output(s.Local.Uplink)
	}
	return flow.ToGroup(uplinkGroup)
}

// uplinkMembers is the trunk of several members. If all of them lead to one network separately, a broadcast frame arrives by each of them,
// and by the others even if it is this host's own: only those of one member count. The members of a channel deliver it once.
func uplinkMembers(s *ofnet.State) (out flow.Set) {
	group := flow.Group{ID: uplinkGroup, Type: flow.GroupFailover}
	var weight uint16
	if len(s.Local.Channel) > 0 {
		group.Type, weight = flow.GroupSelect, 1
	}
	var buckets []flow.Bucket
	for _, p := range s.Local.Uplinks() {
		buckets = append(buckets, flow.Bucket{Weight: weight, WatchPort: p, Actions: flow.Do(flow.Output(p))})
		if !s.Local.Receives(p) {
			out.Add(flow.New(tClassify, 150, flow.NewMatch(flow.Eq(flow.InPort, uint64(p)), multicast(flow.EthDst)), flow.Actions{}))
		}
	}
	group.Buckets = flow.NewBuckets(buckets...)
	out.AddGroup(group)
	return out
}

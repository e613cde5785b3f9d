package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// uplinkGroup is the way out by a trunk of several members: by the first that is live (fast failover, OpenFlow 1.3.5 section
// 5.6.1), or, when the switch beyond takes them for one, by one that the connection's hash chooses of those that are
// live. Open vSwitch takes a member for live that has a link and, where LACP is spoken, a partner in step. So the group changes over
// without an agent.
const uplinkGroup = 0x04 << 24

// toUplink sends the frame out by the trunk.
func toUplink(s *ofnet.State) flow.Action {
	if len(s.Local.Backup) == 0 {
		return flow.Output(s.Local.Uplink)
	}
	return flow.ToGroup(uplinkGroup)
}

// uplinkMembers is the trunk of several members. When all of them lead to one network separately, a frame for many comes by each of
// them, and by the others even when it is our own: those of one member count. The members of a channel bring it once.
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

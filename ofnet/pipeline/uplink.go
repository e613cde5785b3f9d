package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// uplinkGroup is the way out by a trunk of several members: by the first that has a link (fast failover, OpenFlow 1.3.5
// section 5.6.1). So it changes over without an agent.
const uplinkGroup = 0x04 << 24

// toUplink sends the frame out by the trunk.
func toUplink(s *ofnet.State) flow.Action {
	if len(s.Local.Backup) == 0 {
		return flow.Output(s.Local.Uplink)
	}
	return flow.ToGroup(uplinkGroup)
}

// uplinkMembers is the trunk of several members. All of them lead to one network, so a frame for many comes by each of
// them, and by the others even when it is our own: those of one member count.
func uplinkMembers(s *ofnet.State) (out flow.Set) {
	var buckets []flow.Bucket
	for _, p := range s.Local.Uplinks() {
		buckets = append(buckets, flow.Bucket{WatchPort: p, Actions: flow.Do(flow.Output(p))})
		if p != s.Local.ActiveUplink() {
			out.Add(flow.New(tClassify, 150, flow.NewMatch(flow.Eq(flow.InPort, uint64(p)), multicast(flow.EthDst)), flow.Actions{}))
		}
	}
	out.AddGroup(flow.Group{ID: uplinkGroup, Type: flow.GroupFailover, Buckets: flow.NewBuckets(buckets...)})
	return out
}

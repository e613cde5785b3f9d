// SPDX-License-Identifier: Apache-2.0

package nodes

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/record"
)

// info is the original's summary of the cluster.
func (s *Nodes) info() model.Info {
	out := model.Info{
		LocalIP: peer.Host(s.Internal), LeaderIP: s.Leadership.Leader(), CurrentState: string(s.role()),
		NetpluginNodes: []string{}, NetmasterNodes: []string{},
	}
	s.Catalog.View(func(v *catalog.View) {
		for _, h := range v.Hosts() {
			if v.Running(h.Label) && h.Control.IsValid() {
				out.NetpluginNodes = append(out.NetpluginNodes, h.Control.Addr().String())
			}
		}
		for _, m := range v.Services(record.ServiceMaster) {
			out.NetmasterNodes = append(out.NetmasterNodes, m.HostAddr)
		}
	})
	return out
}

func (s *Nodes) role() model.NodeRole {
	if s.Leadership.Leading() {
		return model.RoleLeader
	}
	return model.RoleFollower
}

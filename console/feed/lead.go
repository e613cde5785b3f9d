// SPDX-License-Identifier: Apache-2.0

package feed

import "github.com/contiv/contiv/api/model"

// Lead is the leader by the newest received answer: the list of nodes and the lock in the store are requested at different moments, so
// every page uses this.
func (s *Snapshot) Lead() model.Lead {
	var locks []model.Leadership
	for _, topic := range []Topic{Leader, Leadership} {
		if l, a, ok := Of[model.Leadership](s, Question{Topic: topic}); ok && a.Err == "" {
			locks = append(locks, l)
		}
	}
	return model.LeadOf(s.Nodes, locks...)
}

// RoleOf is the role of a master or an agent by the newest that has been received.
func (s *Snapshot) RoleOf(n *model.Node) model.NodeRole { return s.Lead().Role(n) }

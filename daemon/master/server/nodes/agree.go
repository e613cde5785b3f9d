// SPDX-License-Identifier: Apache-2.0

package nodes

import "github.com/contiv/contiv/api/model"

// begins is the Reason of a master that holds the lock and does not accept changes yet.
const begins = "holds the lock, and begins its term"

// agree gives masters, which answered at different moments, the roles that they have by the newest term that any of them knows of. Of two that know the same
// term, the one that has seen it end knows more. The role of a master that did not answer stays unknown.
func agree(masters []model.Node) {
	var newest *model.Node
	for i := range masters {
		n := &masters[i]
		if n.Answered() && n.Term > 0 && (newest == nil || n.Term > newest.Term || n.Term == newest.Term && n.Leader == "") {
			newest = n
		}
	}
	if newest == nil {
		return
	}
	leader := newest.Leader
	for i := range masters {
		n := &masters[i]
		switch {
		case !n.Answered():
		case n.Address != leader:
			n.Role = model.RoleFollower
		case n.Role != model.RoleLeader:
			n.Role = model.RoleLeader
			if n.Ready {
				n.Ready, n.Reason = false, begins
			}
		}
	}
}

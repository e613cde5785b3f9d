// SPDX-License-Identifier: Apache-2.0

package model

// Lead is the leader of the cluster according to the newest of several answers, which may be of different times.
type Lead struct {
	Known   bool   // some answer includes it
	Address string // of the leader, "ip:port"; "": no netmaster leads
	Term    uint64 // number of the term; 0: unknown
}

// LeadOf returns the leader according to the newest term in a list of nodes and in the lock. For the same term it prefers ready
// nodes that have seen the term end: a node that has lost the store or the cluster has not seen it.
func LeadOf(nodes []Node, locks ...Leadership) (out Lead) {
	for i := range nodes {
		n := &nodes[i]
		if out.Known = true; n.Role == RoleLeader {
			out.Address, out.Term = n.Address, n.Term
		}
		if out.Address == "" && n.Ready {
			out.Term = max(out.Term, n.Term)
		}
	}
	for i := range locks {
		if l := &locks[i]; l.Holder != "" && (!out.Known || l.Term > out.Term) {
			out = Lead{true, l.Holder, l.Term}
		}
	}
	return out
}

// Role returns the role of a node under that leader.
func (l Lead) Role(n *Node) NodeRole {
	switch {
	case n.Role == RoleAgent || n.Role == RoleUnknown || !n.Answered() || !l.Known:
		return n.Role
	case n.Address == l.Address:
		return RoleLeader
	}
	return RoleFollower
}

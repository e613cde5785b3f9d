package model

// Lead is the leader of the cluster by the newest of several answers, which were given at different moments.
type Lead struct {
	Known   bool   // some answer includes it
	Address string // of the leader, "ip:port"; "": no netmaster leads
	Term    uint64 // number of the term; 0: unknown
}

// LeadOf is the leader by a list of nodes and by the lock, whichever has the newer term. Of one term, nodes that have seen it end know
// more, if they are ready: a node that has lost the store, or the cluster, has not seen it end.
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

// Role is the role of a node under that leader.
func (l Lead) Role(n *Node) NodeRole {
	switch {
	case n.Role == RoleAgent || n.Role == RoleUnknown || !n.Answered() || !l.Known:
		return n.Role
	case n.Address == l.Address:
		return RoleLeader
	}
	return RoleFollower
}

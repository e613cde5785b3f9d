package node

import (
	"slices"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/record"
)

// identity returns what counts of the saved records, by which store the host's cluster has: everything, unless the host has become one of another cluster since. It
// has the client know that store.
func (n *Node) identity(saved channel.Batch) (counts bool) {
	known, err := n.ClusterFile.Read()
	if err != nil {
		n.Log.Warn("only the saved records say which store this host's cluster has", "error", err)
	}
	was := saved.Incarnation
	counts = was == "" || known.Stored() == "" || was == known.ID || slices.Contains(known.Predecessors, was)
	if counts && was != "" {
		n.told.Know(was)
	} else {
		n.told.Know(known.Stored())
	}
	return counts
}

// attachedIDs are the endpoints that have an interface on this host.
func (n *Node) attachedIDs() (out []string) {
	for _, a := range n.attach.List() {
		out = append(out, a.StateID)
	}
	return out
}

// followed notes the incarnation of the store of the netmaster that this host follows.
func (n *Node) followed(store record.Incarnation) {
	n.claim.Again()
	if store.ID == "" {
		return // of an earlier build
	}
	if err := n.ClusterFile.Write(incarnation.Known{Incarnation: store}); err != nil {
		n.Log.Warn("which store this host's cluster has is not noted for a start without the saved records", "error", err)
	}
}

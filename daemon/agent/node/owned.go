package node

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/drift"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// owned are the things of this host that the agent keeps as they should be, in the order in which they are repaired: what closes the host to containers
// first, then the bridge, whose ports follow.
func (n *Node) owned() []drift.Source {
	host := func(string) ofnet.Key { return ofnet.Key{Kind: ofnet.KindHost, Name: n.Host} }
	return []drift.Source{
		&drift.Own{Sort: drift.KindTable, What: "nftables table", Owner: host, Of: n.links.Tables()},
		&drift.Own{Sort: drift.KindInterface, What: "interface", Owner: n.ownerOfEnd, Of: n.links.Ends()},
		&drift.Bridge{Host: n.Host, Name: BridgeName, Switch: n.sw, Prepare: n.prepareBridge},
		&drift.Ports{Host: n.Host, Switch: n.sw}, n.attach.LostPorts(), n.attach.CutOff(),
		&drift.Own{Sort: drift.KindSetting, What: "setting", Owner: host, Of: n.links.Settings()},
		n.access,
	}
}

// changedByOthers lists what others have changed and the agent has restored, of what it keeps and of flows, the oldest first. Ports are left out: they
// go with their containers, too.
func (n *Node) changedByOthers() (out []model.Difference) {
	for _, d := range n.drift.Found() {
		if d.Kind != drift.KindPort {
			out = append(out, d)
		}
	}
	if !n.Observe {
		for _, d := range n.forward.Drifted() {
			out = append(out, model.Difference{At: d.At.UTC().Format(time.RFC3339), Kind: string(d.Kind), What: "a " + string(d.Kind) + " of the switch"})
		}
	}
	slices.SortStableFunc(out, func(a, b model.Difference) int { return strings.Compare(a.At, b.At) })
	return out
}

// ownerOfEnd is the endpoint whose host end bears a name.
func (n *Node) ownerOfEnd(name string) ofnet.Key {
	if p, ok := n.sw.Port(name); ok && p.ExternalIDs[ovsdb.IDEndpoint] != "" {
		return ofnet.Key{Kind: ofnet.KindEndpoint, Name: p.ExternalIDs[ovsdb.IDEndpoint]}
	}
	return ofnet.Key{Kind: ofnet.KindHost, Name: n.Host}
}

// adoptEnds takes the host ends that an agent before this one has made for kept. One of an earlier build may have made them otherwise, which is no one
// else's doing.
func (n *Node) adoptEnds() {
	for _, p := range n.sw.Ports(ovsdb.IDContainer, "") {
		n.links.Ends().Adopt(p.Name)
	}
	open, err := n.links.Ends().Drift()
	for _, d := range open {
		err = errors.Join(err, n.links.Ends().Repair(d.Name))
	}
	if err != nil {
		n.Log.Warn("host ends of containers are not closed to the host yet, trying again", "error", err)
	}
}

// prepareBridge makes the bridge and its fixed ports as they should be, and has those of containers numbered as before. It blocks until ovs-vswitchd has
// made them, or ctx ends.
func (n *Node) prepareBridge(ctx context.Context) error {
	n.preparing.Lock()
	defer n.preparing.Unlock()
	if err := n.prepareOnce(ctx); err != nil {
		return err
	}
	if err := n.attach.Rename(ctx); err != nil {
		return err
	}
	n.attach.Restore()
	n.limitARP()
	return nil
}

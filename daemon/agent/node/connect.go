package node

import (
	"context"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/daemon/agent/carried"
	"github.com/contiv/contiv/daemon/agent/checkpoint"
	"github.com/contiv/contiv/daemon/agent/distrust"
	"github.com/contiv/contiv/daemon/channel"
)

// connect makes what hears from netmasters, and returns what asks them.
func (n *Node) connect() channel.Master {
	way := n.way()
	n.told = channel.NewClient(channel.Options{Host: n.Host, Directory: n.directory, Masters: n.masters, Seat: func() string { return n.claim.Seat() }, Reporter: reporter{n},
		Opened: n.followed, HTTP: way, Log: n.Log,
		Offer: func(ctx context.Context) error { n.claim.Again(); return n.carried.Offer(ctx) }})
	asks := channel.Master{Client: &client.Client{Masters: n.masters, HTTP: way, Patience: masterPatience, Actor: func() string { return n.Host }, Program: "netplugin/" + n.Version.Version}}
	n.carried = carried.New(carried.Options{Host: n.Host, Follower: n.told, Attached: n.attachedIDs, Post: asks.Offer, Log: n.Log})
	n.records = &checkpoint.Source{Follower: n.carried, Patience: masterAbsence, Log: n.Log}
	n.distrust = distrust.New(distrust.Options{Source: n.records, Masters: n.everyMaster, Ask: n.askRevoked, Revoke: n.revoke, Log: n.Log})
	return asks
}

// SPDX-License-Identifier: Apache-2.0

package linktest

import (
	"context"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

// timeout is how long a condition about neighbours may take to hold.
const timeout = 20 * time.Second

// AwaitNeighbours blocks until holds returns true. It calls holds at once, and after each change of the namespace's neighbours that the
// kernel reports (rtnetlink(7), RTM_NEWNEIGH); after 20 seconds the test fails and prints the neighbours.
func (n *Namespace) AwaitNeighbours(what string, holds func() bool) {
	n.tb.Helper()
	ns, err := netns.GetFromPath(n.Path)
	if err != nil {
		n.tb.Fatal(err)
	}
	defer func() { _ = ns.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	changes := make(chan netlink.NeighUpdate, 64)
	if err := netlink.NeighSubscribeWithOptions(changes, ctx.Done(), netlink.NeighSubscribeOptions{Namespace: &ns}); err != nil {
		n.tb.Fatalf("listen for changes of neighbours: %v", err)
	}
	for !holds() {
		select {
		case <-changes:
		case <-ctx.Done():
			n.tb.Fatalf("%s: not within %v; neighbours:\n%s", what, timeout, n.IP("neigh"))
		}
	}
}

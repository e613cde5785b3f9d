package node

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// nodeAddresses are the machine's own addresses by which containers meet it: those it was told, else those of the interface that has the
// control address.
func (n *Node) nodeAddresses() (four, six netip.Addr) {
	if n.Node4.IsValid() || n.Node6.IsValid() {
		return n.Node4, n.Node6
	}
	if !n.CtrlIP.IsValid() {
		return four, six
	}
	four, six, err := n.links.NodeAddresses(n.CtrlIP)
	if err != nil {
		n.Log.Warn("the machine's own addresses are not known, so containers do not meet it by these; name them with --node-addresses", "error", err)
	}
	return four, six
}

// How often the agent reads the machine's addresses and interfaces, whether the kernel has said that any changed or not, and how long what changes meanwhile
// is left to come together: each report is written to the store and passed on to every host.
const (
	reportEvery = 30 * time.Second
	reportRest  = time.Second
)

// Interfaces on which a proxy of Kubernetes has the addresses of services, so that the kernel takes these in: kube-proxy in mode ipvs, and NodeLocal DNSCache.
const (
	proxyInterface = "kube-ipvs0"
	cacheInterface = "nodelocaldns"
)

// reportOwn reports the machine's own addresses and interfaces to netmasters, and again when they have changed, until ctx ends.
func (n *Node) reportOwn(ctx context.Context) error {
	said := ""
	for {
		moved := n.links.Moved()
		ours := []string{BridgeName, tunnelName, outsideName, hostaccess.PortName, proxyInterface, cacheInterface}
		for _, p := range n.sw.Ports(ovsdb.IDOwner, hostaccess.Owner) {
			ours = append(ours, p.Name)
		}
		now, err := n.links.Report(n.Uplinks, ours)
		text := ""
		if err == nil {
			if left := len(now.Addrs) - record.MostOwn; left > 0 {
				text = fmt.Sprintf("the machine has more addresses than netmasters take: %d are left out", left)
			}
			n.claim.Report(now.Addrs, now.Names)
		} else {
			text = err.Error()
		}
		if text != "" && text != said {
			n.Log.Warn("not all addresses of this machine are closed to containers of other hosts", "error", text)
		}
		said = text
		for _, wait := range []struct {
			most    time.Duration
			changed <-chan struct{}
		}{{reportRest, nil}, {reportEvery, moved}} {
			timer := time.NewTimer(wait.most)
			select {
			case <-timer.C:
			case <-wait.changed:
			case <-ctx.Done():
			}
			timer.Stop()
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

// followDirect makes the MTU of containers follow when hosts are met by own addresses from now on, or no longer, until ctx ends.
func (n *Node) followDirect(ctx context.Context) error {
	last := n.desired.Direct()
	for {
		changed := n.desired.Changed()
		if now := n.desired.Direct(); now != last {
			last = now
			n.adjustMTU(ctx)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

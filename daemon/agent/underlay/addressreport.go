// SPDX-License-Identifier: Apache-2.0

package underlay

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/daemon/agent/part"
	"github.com/contiv/contiv/daemon/agent/registration"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// Nodes returns the machine's own addresses for containers: those of the settings, else those of the interface that has the control
// address.
func (s *AddressSettings) Nodes(links *link.Host, log *slog.Logger) (four, six netip.Addr) {
	if s.Node4.IsValid() || s.Node6.IsValid() {
		return s.Node4, s.Node6
	}
	if !s.Control.IsValid() {
		return four, six
	}
	four, six, err := links.NodeAddresses(s.Control)
	if err != nil {
		log.Warn("unknown addresses of this machine: containers cannot use them; set --node-addresses", "error", err)
	}
	return four, six
}

// How often the agent reads the machine's addresses and interfaces without a notification of the kernel, and how long it collects changes:
// each report is written to the store and sent to every host.
const (
	reportInterval = 30 * time.Second
	reportRest     = time.Second
)

// Interfaces on which a proxy of Kubernetes has the addresses of services, so that the kernel accepts their packets: kube-proxy in mode
// ipvs, and NodeLocal DNSCache.
const (
	proxyInterface = "kube-ipvs0"
	cacheInterface = "nodelocaldns"
)

// AddressReporter reports the machine's own addresses and interfaces to netmasters.
type AddressReporter struct {
	Links        *link.Host
	Switch       *ovsdb.Switch
	Registration *registration.Registration
	Uplinks      []string // NICs
	Ours         []string // further interfaces of the agent, which are not addresses of the machine
	Log          *slog.Logger
}

// Part returns the task that reports.
func (r *AddressReporter) Part() part.Part {
	return part.Part{Tasks: []task.Task{part.Started("addresses of the machine", r.run)}}
}

// run reports the addresses, and again after each change, until ctx ends.
func (r *AddressReporter) run(ctx context.Context) error {
	said := ""
	for {
		moved := r.Links.Moved()
		ours := append(slices.Clone(r.Ours), hostaccess.PortName, proxyInterface, cacheInterface)
		for _, p := range r.Switch.Ports(ovsdb.IDOwner, hostaccess.Owner) {
			ours = append(ours, p.Name)
		}
		now, err := r.Links.Report(r.Uplinks, ours)
		text := ""
		if err == nil {
			if left := len(now.Addrs) - record.MaxOwn; left > 0 {
				text = fmt.Sprintf("the machine has more addresses than netmasters take: %d are left out", left)
			}
			r.Registration.Report(now.Addrs, now.Names)
		} else {
			text = err.Error()
		}
		if text != "" && text != said {
			r.Log.Warn("not all addresses of this machine are closed to containers of other hosts", "error", text)
		}
		said = text
		for _, wait := range []struct {
			most    time.Duration
			changed <-chan struct{}
		}{{reportRest, nil}, {reportInterval, moved}} {
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

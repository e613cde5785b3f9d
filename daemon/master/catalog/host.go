// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"maps"
	"net/netip"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

// Hosts by their addresses.
var (
	hostsAtVTEP    = table.By[string](func(h *record.Host) netip.Addr { return h.VTEP })
	hostsAtControl = table.By[string](func(h *record.Host) netip.AddrPort { return h.Control })
)

func hostRows(v *View) *of[record.Host]   { return &v.hosts }
func runRows(v *View) *of[record.Running] { return &v.runs }

// Host returns a host by its label, nil if there is none.
func (v *View) Host(label string) *record.Host { return v.hosts.Get(label) }

// Hosts returns all hosts, ordered by label.
func (v *View) Hosts() []*record.Host {
	return sortedBy(v.hosts.Values(), func(h *record.Host) string { return h.Label })
}

// Running reports whether the agent of a host runs, as far as the leader knew last.
func (v *View) Running(label string) bool {
	_, runs := v.runs.Lookup(label)
	return runs
}

// HostsLike returns the hosts that share the label, the tunnel end or the control address of another one, ordered by label. A host that
// serves no control address shares none.
func (v *View) HostsLike(h *record.Host) []*record.Host {
	found := map[string]*record.Host{}
	if same := v.Host(h.Label); same != nil {
		found[same.Label] = same
	}
	for same := range hostsAtVTEP.In(&v.hosts, h.VTEP).Values() {
		found[same.Label] = same
	}
	if h.Control.IsValid() {
		for same := range hostsAtControl.In(&v.hosts, h.Control).Values() {
			found[same.Label] = same
		}
	}
	return sortedBy(maps.Values(found), func(h *record.Host) string { return h.Label })
}

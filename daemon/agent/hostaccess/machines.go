// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
)

// machines are the hosts with their own addresses, as of one check.
type machines struct {
	all []ofnet.Host          // this one first; empty: unknown
	at  map[netip.Addr]string // labels
}

// machines reads the hosts.
func (e *Engine) machines() *machines {
	out := &machines{at: map[netip.Addr]string{}}
	if e.Nodes == nil {
		return out
	}
	out.all = e.Nodes()
	for i := range out.all {
		for _, a := range out.all[i].Addrs() {
			out.at[a] = out.all[i].Label
		}
	}
	return out
}

// self returns this host's own address of the family of a; invalid if it has none.
func (m *machines) self(a netip.Addr) netip.Addr {
	switch {
	case len(m.all) == 0:
		return netip.Addr{}
	case a.Is4():
		return m.all[0].Node4
	default:
		return m.all[0].Node6
	}
}

// within returns a host that has an address of its own in p, "" if none has.
func (m *machines) within(p netip.Prefix) string {
	if p.IsSingleIP() {
		return m.at[p.Addr()]
	}
	for i := range m.all {
		if slices.ContainsFunc(m.all[i].Addrs(), p.Contains) {
			return m.all[i].Label
		}
	}
	return ""
}

// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/record"
)

// Report is an address that a host reports as its own in addition to those by which it is registered. Only the host itself claims it.
type Report struct {
	Host string
	Addr netip.Addr
	// Whose describes the owner of the address by the records; "": none.
	Whose string
	// Alone means that no other host reports its subnet, and that the host's node of Kubernetes does not have the address.
	Alone bool
}

// Counts reports whether the address counts as the host's: it has no other owner, and others are in its subnet. So a compromised host can
// close to containers neither what belongs to others in the cluster, nor what is not even near it.
func (r *Report) Counts() bool { return r.Whose == "" && !r.Alone }

// Reports judges what all hosts report, ordered by host and address. It leaves out addresses by which the host itself is registered, and
// those of netmasters, which may run there: these are known otherwise.
func (f *Facts) Reports() (out []Report) {
	at := f.index()
	for h := range each(f.Hosts) {
		own := h.Registered()
		var last netip.Addr
		for _, p := range h.Own {
			a := p.Addr()
			if _, serves := at.masters[a]; serves || slices.Contains(own, a) || a == last {
				continue
			}
			last = a
			out = append(out, Report{Host: h.Label, Addr: a, Whose: at.whose(h, a), Alone: !at.near(h, a)})
		}
	}
	slices.SortFunc(out, func(a, b Report) int { return cmp.Or(cmp.Compare(a.Host, b.Host), a.Addr.Compare(b.Addr)) })
	return out
}

// index has what Reports needs for each address.
type index struct {
	masters    map[netip.Addr]struct{}
	registered map[netip.Addr]string // labels
	services   map[netip.Addr]string
	networks   []*record.Network
	private    []netip.Prefix
	subnets    map[netip.Prefix]string // reported by hosts, and the label of the only host; "": several hosts
	lengths    map[int]struct{}        // of subnets; those of IPv6 are negative
	nodes      map[string][]netip.Addr // by the node's name
}

func (f *Facts) index() *index {
	at := &index{masters: map[netip.Addr]struct{}{}, registered: map[netip.Addr]string{}, services: map[netip.Addr]string{}, private: f.Private,
		subnets: map[netip.Prefix]string{}, lengths: map[int]struct{}{}, nodes: map[string][]netip.Addr{}}
	for m := range each(f.Masters) {
		if a, err := netip.ParseAddr(m.HostAddr); err == nil {
			at.masters[a.Unmap()] = struct{}{}
		}
	}
	for a, host := range each2(f.Ends) {
		at.registered[a] = host
	}
	for a, service := range each2(f.Services) {
		at.services[a] = service
	}
	for n := range each(f.Nodes) {
		at.nodes[n.Name] = n.Addresses
	}
	at.networks = slices.Collect(each(f.Networks))
	for h := range each(f.Hosts) {
		for _, a := range h.Registered() {
			at.registered[a] = h.Label
		}
		for _, p := range h.Own {
			if label, known := at.subnets[p.Masked()]; !known {
				at.subnets[p.Masked()] = h.Label
			} else if label != h.Label {
				at.subnets[p.Masked()] = ""
			}
			at.lengths[length(p)] = struct{}{}
		}
	}
	return at
}

// length is that of a prefix, negative in IPv6.
func length(p netip.Prefix) int {
	if p.Addr().Is4() {
		return p.Bits()
	}
	return -p.Bits()
}

// whose describes another owner of an address that a host reports, "" if there is none.
func (at *index) whose(h *record.Host, a netip.Addr) string {
	if label, is := at.registered[a]; is && label != h.Label {
		return "host " + label
	}
	if service := at.services[a]; service != "" {
		return service
	}
	if slices.ContainsFunc(at.private, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return "the private subnet of hosts and containers"
	}
	return network(at.networks, a)
}

// near reports whether another machine is near an address of a host: another host reports a subnet that has it, or the host's node has it.
func (at *index) near(h *record.Host, a netip.Addr) bool {
	if slices.Contains(at.nodes[cmp.Or(h.KubernetesNode, h.Label)], a) {
		return true
	}
	for bits := range at.lengths {
		if (bits >= 0) != a.Is4() || bits == 0 {
			continue
		}
		p, err := a.Prefix(max(bits, -bits))
		if err != nil {
			continue
		}
		if label, known := at.subnets[p]; known && label != h.Label {
			return true
		}
	}
	return false
}

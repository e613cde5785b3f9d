package ownership

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/record"
)

// Report is an address that a host reports as its own beside those by which it is registered. That it is the host's is only the host's word.
type Report struct {
	Host string
	Addr netip.Addr
	// Whose is who has the address by the records, in words; "": no one.
	Whose string
	// Alone says that no one else is where the address is: no other host reports its subnet, and the host's node of Kubernetes does not have the address.
	Alone bool
}

// Counts says whether the address is taken for the host's: no one else has it, and others are in its subnet. A host that was taken over closes to
// containers neither what is somebody's in the cluster, nor what is not even near it.
func (r *Report) Counts() bool { return r.Whose == "" && !r.Alone }

// Reports judges what all hosts report, ordered by host and address. Addresses by which the host itself is registered are left out, and those of
// netmasters, which may run there: these are known otherwise.
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

// index finds what Reports asks for each address.
type index struct {
	masters    map[netip.Addr]struct{}
	registered map[netip.Addr]string // labels
	services   map[netip.Addr]string
	networks   []*record.Network
	private    []netip.Prefix
	subnets    map[netip.Prefix]string // that hosts report, and the label of the only one that does; "": several do
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

// whose is who has an address that a host reports, "" when no one else does.
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

// near says whether somebody else is where an address of a host's is: another host reports a subnet that has it, or the host's node has it.
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

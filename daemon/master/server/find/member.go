// SPDX-License-Identifier: Apache-2.0

package find

import (
	"net"
	"net/netip"
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// searchHosts searches the hosts, and the netmasters, which are nodes by their addresses.
func searchHosts(v *catalog.View, q *query, out *best) {
	labels := map[netip.Addr]string{} // of hosts, by their addresses
	for _, h := range v.Hosts() {
		own := addressesOf(h)
		for _, a := range own {
			labels[a] = h.Label
		}
		value := q.host(h, own)
		if value.rank == none {
			continue
		}
		if m := value.match(); out.keeps(m) {
			out.put(m, model.Found{Kind: model.FoundNode, Key: h.Label, Field: value.field, Value: value.text, About: record.Text(h.VTEP)})
		}
	}
	last := ""
	for _, s := range v.Services(record.ServiceMaster) {
		at, _ := netip.ParseAddr(s.HostAddr)
		label := labels[at.Unmap()]
		value := q.master(&s, label)
		if value.rank == none || s.HostAddr == last {
			continue
		}
		last = s.HostAddr // of two at one address, the name stands for both
		if m := value.match(); out.keeps(m) {
			out.put(m, model.Found{Kind: model.FoundNode, Key: s.HostAddr, Field: value.field, Value: value.text, About: joined("netmaster", label)})
		}
	}
}

// addressesOf are the addresses of a host, those by which it is registered first.
func addressesOf(h *record.Host) []netip.Addr {
	own := h.Registered()
	for _, p := range h.Own {
		own = append(own, p.Addr())
	}
	return own
}

// host compares the label and the addresses of a host, and its node of Kubernetes.
func (q *query) host(h *record.Host, own []netip.Addr) value {
	best := value{rank: none}
	best.better(q.in(h.Label), "name", h.Label)
	best.better(q.in(h.KubernetesNode), "kubernetesNode", h.KubernetesNode)
	for _, a := range own {
		best.better(q.place(a.String()), "address", a.String())
	}
	if (h.UplinkMAC != record.MAC{}) {
		best.better(q.place(h.UplinkMAC.String()), "macAddress", h.UplinkMAC.String())
	}
	return best
}

// master compares the address of a netmaster, with and without its port, and the label of the host that has the address.
func (q *query) master(s *record.Service, label string) value {
	best := value{rank: none}
	if _, err := netip.ParseAddr(s.HostAddr); err == nil {
		best.better(q.place(s.HostAddr), "name", s.HostAddr)
	} else {
		best.better(q.in(s.HostAddr), "name", s.HostAddr)
	}
	at := net.JoinHostPort(s.HostAddr, strconv.Itoa(s.Port))
	if r := q.in(at); r <= prefix { // other netmasters have the port too
		best.better(r, "address", at)
	}
	best.better(q.in(label), "host", label)
	return best
}

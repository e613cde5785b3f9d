// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"iter"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/agent/names"
	"github.com/contiv/contiv/daemon/ownership"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// facts returns the records that determine the owners of addresses, for the tenants that this host knows.
func (r *records) facts() *ownership.Facts {
	private := r.private()
	return &ownership.Facts{Hosts: r.machines.Values(), Masters: r.masters.Values(), Networks: r.networks.Values(), Nodes: r.kube.nodes.Values(),
		API: names.SlicesOf.In(r.kube.slices, apiServer).Values(), Services: r.owned(), Private: []netip.Prefix{private, pipeline.Private6(private)},
		AtNodes: func(protocol uint8, port uint16) iter.Seq[*record.KubernetesService] {
			return kubeServicesAtNodes.In(r.kube.services, doorway{protocol, port}).Values()
		},
		Ends: func(yield func(netip.Addr, string) bool) {
			for h := range r.hosts.Values() {
				if h.VTEP.IsValid() && !yield(h.VTEP, h.Label) {
					return
				}
			}
		}}
}

// owned yields the addresses that services own, with the services' descriptions.
func (r *records) owned() iter.Seq2[netip.Addr, string] {
	return func(yield func(netip.Addr, string) bool) {
		for v := range r.services.Values() {
			if v.IP.IsValid() && !yield(v.IP, "service "+v.ID.String()) {
				return
			}
		}
		for v := range r.kube.services.Values() {
			for _, a := range v.ClusterIPs {
				if !yield(a, "service "+v.ID.Path()) {
					return
				}
			}
		}
	}
}

// gave reports whether Contiv allocated an address of a service's status.
func (r *records) gave(v *record.KubernetesService, a netip.Addr) bool {
	return ownership.Gave(v, a, slices.Collect(networksOfTenant.In(r.networks, r.tenantOf(v.ID.Namespace)).Values()))
}

// lends reports whether a service may have a port at an address that it does not own.
func (r *records) lends(v *record.KubernetesService, a netip.Addr, protocol uint8, port uint16) bool {
	return r.facts().Refused(v, a, protocol, port) == ""
}

// reports has the addresses that hosts report, as judged by some records.
type reports struct {
	by   *records
	list []netip.Addr
}

// Reported returns the addresses that hosts report in addition to their registered ones, if they count as theirs, in order. The caller must
// not change them.
func (e *Engine) Reported() []netip.Addr {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.records
	if was := e.reports.by; was != nil && r.global == was.global && same(was, r, machines) && same(was, r, masters) && same(was, r, networks) &&
		same(was, r, services) && same(was, r, kubeServices) && same(was, r, kubeNodes) && same(was, r, hosts) {
		return e.reports.list
	}
	var list []netip.Addr
	for _, report := range r.facts().Reports() {
		if report.Counts() {
			list = append(list, report.Addr)
		}
	}
	slices.SortFunc(list, netip.Addr.Compare)
	e.reports = reports{r.clone(), slices.Compact(list)}
	return e.reports.list
}

// borrowers adds the services that claim addresses whose owners have changed.
func (o objects) borrowers(before, after *records) {
	moved := false
	changed(before, after, networks, func(*records, string, *record.Network) { moved = true })
	changed(before, after, masters, func(*records, string, *record.Service) { moved = true })
	changed(before, after, machines, func(*records, string, *record.Host) { moved = true })
	changed(before, after, hosts, func(*records, string, *ofnet.Host) { moved = true })
	changed(before, after, kubeNodes, func(*records, string, *record.KubernetesNode) { moved = true })
	changed(before, after, kubeServices, func(_ *records, _ string, v *record.KubernetesService) {
		moved = moved || slices.ContainsFunc(v.Ports, func(p record.ServicePort) bool { return p.NodePort != 0 })
	})
	changed(before, after, endpointSlices, func(_ *records, _ string, s *record.EndpointSlice) { moved = moved || s.Of() == apiServer })
	if !moved {
		return
	}
	for v := range after.kube.services.Values() {
		if len(v.ExternalIPs)+len(v.LoadBalancerIPs) > 0 {
			o.kubeService(after, v.ID)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/agent/kubeservice"
	"github.com/contiv/contiv/daemon/agent/names"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/table"
)

// kubernetes has the records of Kubernetes' services.
type kubernetes struct {
	foreign    bool // another proxy implements the services
	services   *table.Table[string, *record.KubernetesService]
	slices     *table.Table[string, *record.EndpointSlice]
	nodes      *table.Table[string, *record.KubernetesNode]
	namespaces *table.Table[string, *record.Namespace]
}

// doorway is a port that a service has at every node.
type doorway struct {
	protocol uint8
	port     uint16
}

// Indexes of Kubernetes' records.
var (
	kubeServicesAtNodes = table.ByEach[string](func(v *record.KubernetesService, to []doorway) []doorway {
		for i := range v.Ports {
			if p := &v.Ports[i]; p.NodePort != 0 {
				to = append(to, doorway{p.Protocol, p.NodePort})
			}
		}
		return to
	})
	slicesOnNode = table.ByEach[string](func(s *record.EndpointSlice, to []string) []string {
		for i := range s.Endpoints {
			to = append(to, s.Endpoints[i].Node)
		}
		return to
	})
	nodesByAddress = table.ByEach[string](func(n *record.KubernetesNode, to []netip.Addr) []netip.Addr { return append(to, n.Addresses...) })
)

func newKubernetes() kubernetes {
	return kubernetes{services: table.New(names.KubernetesServicesIn, names.KubernetesServicesAt, kubeServicesAtNodes), slices: table.New(names.SlicesOf, names.SlicesIn, slicesOnNode),
		nodes: table.New(nodesByAddress), namespaces: table.New[string, *record.Namespace]()}
}

func (k kubernetes) clone() kubernetes {
	return kubernetes{k.foreign, k.services.Clone(), k.slices.Clone(), k.nodes.Clone(), k.namespaces.Clone()}
}

// kubernetesKinds returns the kinds of these records.
func kubernetesKinds() []kind {
	return []kind{
		rows(record.KubernetesServices, kubeServices, func(_ *records, v *record.KubernetesService) (string, error) { return v.ID.String(), nil }),
		rows(record.EndpointSlices, endpointSlices, func(_ *records, s *record.EndpointSlice) (string, error) { return s.ID.String(), nil }),
		rows(record.KubernetesNodes, kubeNodes, func(_ *records, n *record.KubernetesNode) (string, error) { return n.Name, nil }),
		rows(record.Namespaces, namespaces, func(_ *records, n *record.Namespace) (string, error) { return n.Name, nil }),
	}
}

func kubeServices(r *records) *table.Table[string, *record.KubernetesService] {
	return r.kube.services
}
func endpointSlices(r *records) *table.Table[string, *record.EndpointSlice] { return r.kube.slices }
func kubeNodes(r *records) *table.Table[string, *record.KubernetesNode]     { return r.kube.nodes }
func namespaces(r *records) *table.Table[string, *record.Namespace]         { return r.kube.namespaces }

// apiServer is the service of the API server, which every tenant has.
var apiServer = identity.KubernetesService{Namespace: "default", Name: "kubernetes"}

// defaultTenant is the tenant of namespaces that name none.
const defaultTenant = "default"

// tenantOf returns the tenant of a namespace's services.
func (r *records) tenantOf(namespace string) string {
	if n := r.kube.namespaces.Get(namespace); n != nil && n.Place.Tenant != "" {
		return n.Place.Tenant
	}
	return defaultTenant
}

// kubeName returns the name among a State's services of a service of Kubernetes, or of its copy in another tenant.
func kubeName(id identity.KubernetesService, tenant, own string) string {
	name := id.Path()
	if tenant != own {
		name += "@" + tenant
	}
	return name
}

// parseKubeName is the reverse; tenant is "" for the service's own.
func parseKubeName(name string) (id identity.KubernetesService, tenant string, ok bool) {
	name, tenant, _ = strings.Cut(name, "@")
	id, ok = identity.ParseKubernetesServicePath(name)
	return id, tenant, ok
}

// wantKubeService joins a service with its slices.
func (r *records) wantKubeService(id identity.KubernetesService, tenant string) *ofnet.Service {
	v := r.kube.services.Get(id.String())
	own := r.tenantOf(id.Namespace)
	if tenant == "" {
		tenant = own
	}
	if v == nil || r.kube.foreign || !r.present(tenant) || tenant != own && id != apiServer {
		return nil
	}
	list := slices.Collect(names.SlicesOf.In(r.kube.slices, id).Values())
	out := kubeservice.Translate(v, list, tenant, r.site())
	if out != nil {
		out.Name = kubeName(id, tenant, own)
	}
	return out
}

// site returns this host's place among Kubernetes' nodes.
func (r *records) site() *kubeservice.Site {
	at := &kubeservice.Site{HostOf: r.hostAt, Owns: r.gave, Lends: r.lends}
	if n := r.node(); n != nil {
		at.Node, at.Zone = n.Name, n.Zone
	}
	return at
}

// node returns the node of this host: the one with its label, else the one with its address; nil if there is none.
func (r *records) node() *record.KubernetesNode {
	if n := r.kube.nodes.Get(r.self); n != nil {
		return n
	}
	if h := r.hosts.Get(r.self); h != nil && h.VTEP.IsValid() {
		for n := range nodesByAddress.In(r.kube.nodes, h.VTEP).Values() {
			return n
		}
	}
	return nil
}

// hostAt returns the label of a node's host, if the address is the node's own; "" otherwise.
func (r *records) hostAt(node string, a netip.Addr) string {
	n := r.kube.nodes.Get(node)
	if n == nil || !slices.Contains(n.Addresses, a) {
		return ""
	}
	if own := r.node(); own == n {
		return r.self
	}
	if r.hosts.Get(node) != nil {
		return node
	}
	for label, h := range r.hosts.All() {
		if slices.Contains(n.Addresses, h.VTEP) {
			return label
		}
	}
	return ""
}

// kubernetes adds the objects that follow from changed records of Kubernetes.
func (o objects) kubernetes(before, after *records) {
	changed(before, after, kubeServices, func(r *records, _ string, v *record.KubernetesService) { o.kubeService(r, v.ID) })
	changed(before, after, endpointSlices, func(r *records, _ string, s *record.EndpointSlice) { o.kubeService(r, s.Of()) })
	changed(before, after, namespaces, func(r *records, name string, _ *record.Namespace) {
		if before.tenantOf(name) == after.tenantOf(name) {
			return
		}
		for v := range names.KubernetesServicesIn.In(r.kube.services, name).Values() {
			o.kubeService(r, v.ID)
		}
	})
	changed(before, after, kubeNodes, func(r *records, name string, _ *record.KubernetesNode) { o.onNode(r, name) })
	changed(before, after, hosts, func(r *records, label string, h *ofnet.Host) {
		o.onNode(r, label)
		for name := range nodesByAddress.In(r.kube.nodes, h.VTEP).All() {
			o.onNode(r, name)
		}
	})
	o.borrowers(before, after)
	if a, b := before.site(), after.site(); a.Node != b.Node || a.Zone != b.Zone {
		for v := range after.kube.services.Values() {
			o.kubeService(after, v.ID)
		}
	}
}

// onNode adds the services that have backends on a node.
func (o objects) onNode(r *records, name string) {
	for s := range slicesOnNode.In(r.kube.slices, name).Values() {
		o.kubeService(r, s.Of())
	}
}

// kubeService adds a service of Kubernetes, and its copies in other tenants.
func (o objects) kubeService(r *records, id identity.KubernetesService) {
	own := r.tenantOf(id.Namespace)
	o.add(ofnet.KindService, kubeName(id, own, own))
	if id == apiServer {
		for tenant := range r.tenants.All() {
			o.add(ofnet.KindService, kubeName(id, tenant, own))
		}
	}
}

// kubernetesOf adds the services of Kubernetes that a tenant has.
func (o objects) kubernetesOf(r *records, tenant string) {
	o.kubeService(r, apiServer)
	for v := range r.kube.services.Values() {
		if r.tenantOf(v.ID.Namespace) == tenant {
			o.kubeService(r, v.ID)
		}
	}
}

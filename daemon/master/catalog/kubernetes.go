// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
	"github.com/contiv/contiv/table"
)

// slice has the service of an EndpointSlice, and the addresses of its backends.
type slice struct {
	id        identity.EndpointSlice
	service   identity.KubernetesService
	addresses []netip.Addr
	lost      bool // the address belongs to another endpoint than the backend
}

var (
	slicesOfService = table.By[identity.EndpointSlice](func(s *slice) identity.KubernetesService { return s.service })
	slicesAt        = table.ByEach[identity.EndpointSlice](func(s *slice, to []netip.Addr) []netip.Addr { return append(to, s.addresses...) })
)

func sliceID(s *slice) identity.EndpointSlice { return s.id }

func decodeSlice(name string, value []byte) (*slice, error) {
	var brief struct {
		Service   string
		Endpoints []struct {
			Address netip.Addr
			Lost    bool
		}
	}
	id, err := identity.ParseEndpointSlice(name)
	if err == nil {
		err = json.Unmarshal(value, &brief)
	}
	out := &slice{id: id, service: identity.KubernetesService{Namespace: id.Namespace, Name: brief.Service}, addresses: make([]netip.Addr, 0, len(brief.Endpoints))}
	for _, e := range brief.Endpoints {
		out.addresses, out.lost = append(out.addresses, e.Address), out.lost || e.Lost
	}
	return out, err
}

// SlicesAt returns the EndpointSlices with a backend that has an address, ordered by id; with lost, only those with a backend that has lost
// its own.
func (v *View) SlicesAt(a netip.Addr, lost bool) (out []identity.EndpointSlice) {
	for s := range slicesAt.In(&v.slices, a).Values() {
		if s.lost || !lost {
			out = append(out, s.id)
		}
	}
	slices.SortFunc(out, identity.EndpointSlice.Compare)
	return out
}

func (v *View) sliceChanged(was, now *slice) error {
	for _, s := range []*slice{was, now} {
		if s != nil {
			v.touch(Ref{model.KindKubeService().Name, s.service.String()})
		}
	}
	return nil
}

// read decodes a record of an object that Kubernetes owns.
func read[R any](v *View, key string) (*R, error) {
	value := v.Value(key)
	if value == nil {
		return nil, fmt.Errorf("there is none at %s", key)
	}
	r := new(R)
	return r, json.Unmarshal(value, r)
}

// Namespace returns the record of a namespace of Kubernetes, nil if there is none or it cannot be read.
func (v *View) Namespace(name string) *record.Namespace {
	return readable[record.Namespace](v, record.Namespaces+name)
}

// KubernetesService returns a service of Kubernetes, nil if there is none or its record cannot be read.
func (v *View) KubernetesService(id identity.KubernetesService) *record.KubernetesService {
	return readable[record.KubernetesService](v, record.KubernetesServices+id.String())
}

func readable[R any](v *View, key string) *R {
	r, err := read[R](v, key)
	if err != nil {
		return nil
	}
	return r
}

// apiServer is the service of the API server, which every tenant has.
var apiServer = identity.KubernetesService{Namespace: "default", Name: "kubernetes"}

// The tenant of a service whose namespace names none, and the text for all tenants.
const (
	defaultTenant = "default"
	AllTenants    = "all"
)

// TenantOfService returns the tenant whose pods a service of Kubernetes is for; AllTenants if it is for all.
func (v *View) TenantOfService(id identity.KubernetesService) string {
	if id == apiServer {
		return AllTenants
	}
	if n := v.Namespace(id.Namespace); n != nil && n.Place.Tenant != "" {
		return n.Place.Tenant
	}
	return defaultTenant
}

// SlicesOf returns the readable EndpointSlices of a service, ordered by id.
func (v *View) SlicesOf(id identity.KubernetesService) (out []*record.EndpointSlice) {
	for _, s := range sortedByID(slicesOfService.In(&v.slices, id).Values(), sliceID) {
		if r := readable[record.EndpointSlice](v, record.EndpointSlices+s.id.String()); r != nil {
			out = append(out, r)
		}
	}
	return out
}

// KubernetesServicesWith returns the services of Kubernetes whose record contains a text, ordered by id. It searches all of them.
func (v *View) KubernetesServicesWith(text string) (out []*record.KubernetesService) {
	for e := range v.kind(model.KindKubeService()) {
		key := record.KubernetesServices + e.Key
		if !strings.Contains(string(v.Value(key)), text) {
			continue
		}
		if s := readable[record.KubernetesService](v, key); s != nil {
			out = append(out, s)
		}
	}
	return out
}

// NetworkPolicy returns a network policy, nil if there is none. A policy that cannot be read isolates all pods of its namespace, as in
// agents.
func (v *View) NetworkPolicy(id identity.NetworkPolicy) *netpolicy.Policy {
	key := record.NetworkPolicies + id.String()
	if v.Value(key) == nil {
		return nil
	}
	if p := readable[netpolicy.Policy](v, key); p != nil {
		return p
	}
	closed := netpolicy.Direction{Isolates: true}
	return &netpolicy.Policy{ID: id, Ingress: closed, Egress: closed}
}

// NetworkPoliciesOf returns the network policies of a namespace, ordered by name.
func (v *View) NetworkPoliciesOf(namespace string) (out []*netpolicy.Policy) {
	for key := range v.ownedIn(model.KindNetworkPolicy(), namespace) {
		if id, err := identity.ParseNetworkPolicy(key); err == nil {
			out = append(out, v.NetworkPolicy(id))
		}
	}
	return out
}

// ClusterNetworkPolicy returns a cluster-wide policy, nil if there is none. A policy that cannot be read denies everything, as in agents.
func (v *View) ClusterNetworkPolicy(name string) *netpolicy.ClusterPolicy {
	key := record.ClusterNetworkPolicies + name
	if v.Value(key) == nil {
		return nil
	}
	if p := readable[netpolicy.ClusterPolicy](v, key); p != nil {
		return p
	}
	closed := netpolicy.ClusterDirection{Rules: []netpolicy.ClusterRule{{Rule: netpolicy.Rule{Number: 1}, Action: netpolicy.Deny}}}
	return &netpolicy.ClusterPolicy{Name: name, Tier: netpolicy.TierAdmin, Ingress: closed, Egress: closed}
}

// ClusterNetworkPolicies returns all of them, ordered by name.
func (v *View) ClusterNetworkPolicies() (out []*netpolicy.ClusterPolicy) {
	for e := range v.kind(model.KindClusterNetworkPolicy()) {
		out = append(out, v.ClusterNetworkPolicy(e.Key))
	}
	return out
}

// Pods returns the endpoints of the pods of a namespace, ordered by pod. It searches all endpoints.
func (v *View) Pods(namespace string) (out []*record.Endpoint) {
	for m := range v.endpoints.Values() {
		if m.Pod.ID.Namespace == namespace && namespace != "" {
			out = append(out, m.Endpoint)
		}
	}
	slices.SortFunc(out, func(a, b *record.Endpoint) int {
		if c := a.Pod.ID.Compare(b.Pod.ID); c != 0 {
			return c
		}
		return a.ID.Compare(b.ID)
	})
	return out
}

// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"sync"

	"github.com/contiv/contiv/daemon/agent/names"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

// records are the records of a Zone under test, which may change while it answers. Its methods are safe for concurrent use.
type records struct {
	mu  sync.Mutex
	now names.Snapshot
}

// recorded is a Zone with its records.
type recorded struct {
	*Zone
	*records
}

// newZone returns a Zone whose records are empty as yet.
func newZone(domain, cluster string) *recorded {
	r := &records{now: names.Snapshot{Tenants: table.New(names.TenantsByVRF), Endpoints: table.New(names.EndpointsInGroup, names.EndpointsNamed, names.EndpointsAt),
		Services: table.New(names.ServicesNamed, names.ServicesAt), Kubernetes: names.Kubernetes{Services: table.New(names.KubernetesServicesIn, names.KubernetesServicesAt),
			Slices: table.New(names.SlicesOf, names.SlicesIn), Namespaces: table.New[string, *record.Namespace]()}}}
	return &recorded{NewZone(domain, cluster, r.snapshot), r}
}

// snapshot returns the records as of now.
func (r *records) snapshot() *names.Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &names.Snapshot{Tenants: r.now.Tenants.Clone(), Endpoints: r.now.Endpoints.Clone(), Services: r.now.Services.Clone(), Kubernetes: names.Kubernetes{
		Services: r.now.Kubernetes.Services.Clone(), Slices: r.now.Kubernetes.Slices.Clone(), Namespaces: r.now.Kubernetes.Namespaces.Clone()}}
}

// put sets a row of a table of r; nil deletes it.
func put[V any](r *records, t *table.Table[string, *V], key string, row *V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if row == nil {
		t.Delete(key)
	} else {
		t.Set(key, row)
	}
}

func (r *records) Tenant(name string, row *record.Tenant)   { put(r, r.now.Tenants, name, row) }
func (r *records) Endpoint(id string, row *record.Endpoint) { put(r, r.now.Endpoints, id, row) }
func (r *records) Service(id string, row *record.ServiceLB) { put(r, r.now.Services, id, row) }
func (r *records) Slice(id string, row *record.EndpointSlice) {
	put(r, r.now.Kubernetes.Slices, id, row)
}
func (r *records) Namespace(name string, row *record.Namespace) {
	put(r, r.now.Kubernetes.Namespaces, name, row)
}
func (r *records) KubernetesService(id string, row *record.KubernetesService) {
	put(r, r.now.Kubernetes.Services, id, row)
}

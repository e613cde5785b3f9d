package desired

import (
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

// Listener receives records as they arrive and change, those of all tenants and hosts, and of the services of Kubernetes whichever proxy
// implements them; nil: the record was deleted. Calls are sequential, and must not block or keep their arguments.
type Listener interface {
	Tenant(name string, r *record.Tenant)
	Endpoint(id string, r *record.Endpoint)
	Service(id string, r *record.ServiceLB)
	KubernetesNamespace(name string, r *record.Namespace)
	KubernetesService(id string, r *record.KubernetesService)
	EndpointSlice(id string, r *record.EndpointSlice)
}

// notifyListeners passes the listeners the rows that differ in two records: first created and changed ones, because listeners must always
// find a replacement before the deletion.
func (e *Engine) notifyListeners(before *records) {
	for _, l := range e.following.Listeners {
		for _, has := range []bool{true, false} {
			notifyChanges(before, e.records, tenants, has, l.Tenant)
			notifyChanges(before, e.records, endpoints, has, l.Endpoint)
			notifyChanges(before, e.records, services, has, l.Service)
			notifyChanges(before, e.records, namespaces, has, l.KubernetesNamespace)
			notifyChanges(before, e.records, kubeServices, has, l.KubernetesService)
			notifyChanges(before, e.records, endpointSlices, has, l.EndpointSlice)
		}
	}
}

func notifyChanges[V any](before, after *records, of func(*records) *table.Table[string, *V], has bool, hear func(name string, row *V)) {
	for c := range table.Changes(of(before), of(after)) {
		if c.Has == has {
			hear(c.Key, c.After)
		}
	}
}

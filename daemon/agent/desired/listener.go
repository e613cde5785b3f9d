package desired

import (
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

// Listener hears of records as they come and change, those of all tenants and hosts; nil: the record is gone. Calls come
// one at a time, and must not block or keep what they get.
type Listener interface {
	Tenant(name string, r *record.Tenant)
	Endpoint(id string, r *record.Endpoint)
	Service(id string, r *record.ServiceLB)
	Router(host string, r *record.BGP)
}

// KubernetesListener is a Listener that hears of services of Kubernetes, too, whoever carries them out.
type KubernetesListener interface {
	KubernetesNamespace(name string, r *record.Namespace)
	KubernetesService(id string, r *record.KubernetesService)
	EndpointSlice(id string, r *record.EndpointSlice)
}

// notifyListeners lets the listeners hear what is not the same in two records: first what has come or changed, since what replaces something must
// not find it missing in between.
func (e *Engine) notifyListeners(before *records) {
	for _, l := range e.following.Listeners {
		for _, has := range []bool{true, false} {
			notifyChanges(before, e.records, tenants, has, l.Tenant)
			notifyChanges(before, e.records, endpoints, has, l.Endpoint)
			notifyChanges(before, e.records, services, has, l.Service)
			notifyChanges(before, e.records, routers, has, l.Router)
			if k, ok := l.(KubernetesListener); ok {
				notifyChanges(before, e.records, namespaces, has, k.KubernetesNamespace)
				notifyChanges(before, e.records, kubeServices, has, k.KubernetesService)
				notifyChanges(before, e.records, endpointSlices, has, k.EndpointSlice)
			}
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

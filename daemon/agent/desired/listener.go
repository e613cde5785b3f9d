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

// tell lets the listeners hear what is not the same in two records: first what has come or changed, since what replaces something must
// not find it missing in between.
func (e *Engine) tell(before *records) {
	for _, l := range e.following.Listeners {
		for _, has := range []bool{true, false} {
			tell(before, e.records, tenants, has, l.Tenant)
			tell(before, e.records, endpoints, has, l.Endpoint)
			tell(before, e.records, services, has, l.Service)
			tell(before, e.records, routers, has, l.Router)
			if k, ok := l.(KubernetesListener); ok {
				tell(before, e.records, namespaces, has, k.KubernetesNamespace)
				tell(before, e.records, kubeServices, has, k.KubernetesService)
				tell(before, e.records, endpointSlices, has, k.EndpointSlice)
			}
		}
	}
}

func tell[V any](before, after *records, of func(*records) *table.Table[string, *V], has bool, hear func(name string, row *V)) {
	for c := range table.Changes(of(before), of(after)) {
		if c.Has == has {
			hear(c.Key, c.After)
		}
	}
}

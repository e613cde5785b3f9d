// Package kubeview says in words what Kubernetes owns: its records as objects of the API.
package kubeview

import (
	"maps"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
)

// Namespace is a namespace, and what its annotations fix.
func Namespace(n *record.Namespace) *model.KubeNamespace {
	o := &model.KubeNamespace{Namespace: n.Name, Tenant: n.Place.Tenant, Network: n.Place.Network, Group: n.Place.Group}
	for _, key := range slices.Sorted(maps.Keys(n.Labels)) {
		o.Labels = append(o.Labels, key+"="+n.Labels[key])
	}
	o.Key = o.ObjectKey()
	return o
}

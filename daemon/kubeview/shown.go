// SPDX-License-Identifier: Apache-2.0

// Package kubeview converts the records of Kubernetes' objects to objects of the API, and to the pods that api/verdict
// evaluates.
package kubeview

import (
	"maps"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
)

// Namespace returns a namespace, with the place fixed by its annotations.
func Namespace(n *record.Namespace) *model.KubeNamespace {
	o := &model.KubeNamespace{Namespace: n.Name, Tenant: n.Place.Tenant, Network: n.Place.Network, Group: n.Place.Group}
	for _, key := range slices.Sorted(maps.Keys(n.Labels)) {
		o.Labels = append(o.Labels, key+"="+n.Labels[key])
	}
	o.Key = o.ObjectKey()
	return o
}

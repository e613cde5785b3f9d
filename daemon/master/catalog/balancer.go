// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"slices"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// Addresses of services of Kubernetes, by their network.
var balancersOnNetwork = table.By[identity.KubernetesService](func(l *record.LoadBalancer) identity.Network { return l.Network })

func balancerRows(v *View) *table.Table[identity.KubernetesService, *record.LoadBalancer] {
	return &v.balancers
}

func balancerID(l *record.LoadBalancer) identity.KubernetesService { return l.ID }

func balancerAllocation(l *record.LoadBalancer) (allocation, error) {
	return allocation{owner: owner{kind: "service " + l.Name() + " of Kubernetes"}, network: l.Network, addresses: slices.Clone(l.Addresses)}, nil
}

// LoadBalancer returns the addresses of a service of Kubernetes, nil if it has none.
func (v *View) LoadBalancer(id identity.KubernetesService) *record.LoadBalancer {
	return v.balancers.Get(id)
}

// LoadBalancersOn returns the addresses that services of Kubernetes have on a network, ordered by id.
func (v *View) LoadBalancersOn(id identity.Network) []*record.LoadBalancer {
	return sortedByID(balancersOnNetwork.In(&v.balancers, id).Values(), balancerID)
}

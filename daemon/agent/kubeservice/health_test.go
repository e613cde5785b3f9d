// SPDX-License-Identifier: Apache-2.0

package kubeservice

import (
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

func TestHealthOf(t *testing.T) {
	local := func(address, node string, state record.EndpointState) record.SliceEndpoint {
		return record.SliceEndpoint{Address: addrs(address)[0], Node: node, State: state}
	}
	service := record.KubernetesService{ID: identity.KubernetesService{Namespace: "ns", Name: "s"}, Type: record.ServiceLoadBalancer, ExternalLocal: true, HealthCheckNodePort: 30100}
	list := []*record.EndpointSlice{
		{Endpoints: []record.SliceEndpoint{local("10.1.1.1", "n1", ""), local("10.1.1.2", "n1", ""), local("10.1.1.3", "n2", ""), local("10.1.1.4", "n1", record.EndpointDraining)}},
		{Endpoints: []record.SliceEndpoint{local("10.1.1.1", "n1", "")}}, // on its way from slice to slice
		{Endpoints: []record.SliceEndpoint{local("fd01::1", "n1", ""), local("fd01::2", "n1", record.EndpointNotReady)}},
	}
	for _, row := range []struct {
		name   string
		node   string
		change func(v *record.KubernetesService)
		want   int // -1: no health check port
	}{
		{"two ready ones, one of which has two addresses", "n1", nil, 2},
		{"the other node", "n2", nil, 1},
		{"a node without", "n3", nil, 0},
		{"no node", "", nil, 0},
		{"any host takes connections", "n1", func(v *record.KubernetesService) { v.ExternalLocal = false }, -1},
		{"no port", "n1", func(v *record.KubernetesService) { v.HealthCheckNodePort = 0 }, -1},
		{"another type", "n1", func(v *record.KubernetesService) { v.Type = record.ServiceNodePort }, -1},
	} {
		v := service
		if row.change != nil {
			row.change(&v)
		}
		got, ok := HealthOf(&v, list, &Site{Node: row.node})
		if ok != (row.want >= 0) || ok && (got != Health{v.ID, 30100, row.want}) {
			t.Errorf("%s: want %d, got %v %+v", row.name, row.want, ok, got)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package endpoint_test

import (
	"context"
	"slices"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
)

// A runtime may attach an endpoint before it reports the container: the endpoint is then found by the container's name, and still belongs
// to the client that attached it.
func TestRuntimeTellsLater(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	if _, err := m.Networks().Put(ctx, &model.Network{TenantName: "default", NetworkName: "n", Encap: "vlan", Subnet: "10.1.1.0/24"}); err != nil {
		t.Fatal(err)
	}
	create := model.CreateEndpointRequest{TenantName: "default", NetworkName: "n", ContainerID: "ep1", EndpointID: "ep1",
		ConfigEP: model.EndpointConfigRequest{Container: "ep1", Host: "h1"}}
	if _, _, err := m.CreateEndpoint(ctx, create); err != nil {
		t.Fatal(err)
	}
	started := model.UpdateEndpointRequest{Event: "start", Tenant: "default", Network: "n", EndpointID: "ep1", ContainerID: "docker-id", EPCommonName: "web1",
		Labels: map[string]string{"app": "web"}, Aliases: []string{"api"}}
	for range 2 {
		if err := m.UpdateEndpoint(ctx, started); err != nil {
			t.Fatal(err)
		}
	}
	is := func() record.Endpoint {
		return *mastertest.Read[record.Endpoint](t, m, record.Endpoints+"default:n:ep1")
	}
	if e := is(); e.ContainerID != "ep1" || e.RuntimeID != "docker-id" || e.CommonName != "web1" || !slices.Equal(e.Aliases, []string{"api"}) || e.Labels["app"] != "web" {
		t.Errorf("record: got %+v", e)
	}
	for _, name := range []string{"ep1", "docker-id", "docker", "web1", "api", "default:n:ep1"} {
		got, err := m.Endpoints().Inspect(ctx, name)
		if err != nil || got.Oper == nil || got.Oper.ContainerID != "docker-id" || got.Oper.ContainerName != "web1" {
			t.Errorf("inspect %s: got %+v, %v", name, got, err)
		}
	}
	if _, _, err := m.CreateEndpoint(ctx, create); err != nil {
		t.Errorf("attached again: %v", err)
	}
	if err := m.UpdateEndpoint(ctx, model.UpdateEndpointRequest{Event: "die", Tenant: "default", ContainerID: "docker-id"}); err != nil {
		t.Fatal(err)
	}
	if e := is(); len(e.Labels) != 0 || e.CommonName != "web1" {
		t.Errorf("after its end: got %+v", e)
	}
	if err := m.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: "default", NetworkName: "n", EndpointID: "ep1", ContainerID: "ep1", Host: "h1"}); err != nil {
		t.Fatal(err)
	}
	if items, _, err := m.Store.List(ctx, record.Endpoints); err != nil || len(items) != 0 {
		t.Errorf("the endpoint must go, got %v, %v", items, err)
	}
}

// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
)

func service(name string, selectors ...string) *model.ServiceLB {
	return &model.ServiceLB{TenantName: "default", ServiceName: name, NetworkName: "yellow", Selectors: selectors, Ports: []string{"80:8080:TCP"}}
}

// start makes a container with labels.
func startContainer(t *testing.T, m *mastertest.Master, tenant, network, name string, labels map[string]string) {
	t.Helper()
	m.Endpoint(t, tenant, network, "", name, "")
	err := m.UpdateEndpoint(context.Background(), model.UpdateEndpointRequest{Tenant: tenant, Network: network, Event: "start",
		EndpointID: name, ContainerID: "id-" + name, EPCommonName: name, Labels: labels})
	if err != nil {
		t.Fatal(err)
	}
}

func serviceMaster(t *testing.T) *mastertest.Master {
	t.Helper()
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), network("yellow", "10.1.1.0/24"))
	mastertest.Put(t, m.Networks(), network("green", "10.1.2.0/24"))
	return m
}

func providers(t *testing.T, m *mastertest.Master, id string) []string {
	t.Helper()
	var out []string
	for _, a := range mastertest.Read[record.Provider](t, m, record.Providers+id).Addresses {
		out = append(out, a.String())
	}
	return out
}

func TestSVC_01_Life(t *testing.T) {
	ctx := context.Background()
	m := serviceMaster(t)
	s := service("redis", "key1=value1", "key2=value2")
	mastertest.Put(t, m.ServiceLBs(), s)
	got := mastertest.Read[record.ServiceLB](t, m, record.ServiceLBs+"default:redis")
	if got.IP.String() != "10.1.1.1" || got.Network.String() != "default:yellow" || !slices.Equal(got.Ports, s.Ports) || got.Selectors["key2"] != "value2" {
		t.Errorf("record: got %+v", got)
	}
	n, err := m.Networks().Inspect(ctx, "default", "yellow")
	if err != nil || n.Oper.AllocatedIPAddresses != "10.1.1.1" || n.Config.LinkSets.Servicelbs["default:redis"].Type != "serviceLB" {
		t.Errorf("the network must show the service's address and link, got %+v, %v", n, err)
	}
	_, err = m.Networks().Delete(ctx, "default", "yellow")
	mastertest.Refused(t, err, model.CodeInUse, "services")
	if tenant, err := m.Tenants().Inspect(ctx, "default"); err != nil || tenant.Oper.TotalServicelbs != 1 {
		t.Errorf("tenant totals: got %+v, %v", tenant.Oper, err)
	}
	_, _, err = m.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: "yellow",
		ConfigEP: model.EndpointConfigRequest{Container: "c", Host: "h1", IPAddress: "10.1.1.1"}})
	mastertest.Refused(t, err, model.CodeConflict, "10.1.1.1")
	if e := model.AsError(err); e.Remedy != "service default:redis has it" {
		t.Errorf("the refusal must name the owner, got %q", e.Remedy)
	}
	if _, err := m.ServiceLBs().Delete(ctx, "default", "redis"); err != nil {
		t.Fatal(err)
	}
	if items, _, err := m.Store.List(ctx, record.ServiceLBs); err != nil || len(items) != 0 {
		t.Errorf("the record must go, got %v, %v", items, err)
	}
	if items, _, err := m.Store.List(ctx, record.Providers); err != nil || len(items) != 0 {
		t.Errorf("the providers must go, got %v, %v", items, err)
	}
	if e := m.Endpoint(t, "default", "yellow", "", "c", "10.1.1.1"); e.IP.String() != "10.1.1.1" {
		t.Errorf("the address must be free again, got %s", e.IP)
	}
}

// SVC-03: labels choose providers by containing the selectors, whichever comes first, only in the same tenant.
func TestSVC_03_Providers(t *testing.T) {
	ctx := context.Background()
	for _, order := range []string{"service first", "containers first"} {
		t.Run(order, func(t *testing.T) {
			m := serviceMaster(t)
			mastertest.Put(t, m.Tenants(), &model.Tenant{TenantName: "blue"})
			blue := network("yellow", "10.1.2.0/24")
			blue.TenantName = "blue"
			mastertest.Put(t, m.Networks(), blue)
			s := service("redis", "key1=value1", "key2=value2")
			if order == "service first" {
				mastertest.Put(t, m.ServiceLBs(), s)
			}
			both := map[string]string{"key1": "value1", "key2": "value2"}
			more := map[string]string{"key1": "value1", "key2": "value2", "key3": "value3"}
			startContainer(t, m, "default", "green", "c1", both)
			startContainer(t, m, "default", "green", "c2", more)
			startContainer(t, m, "default", "yellow", "c3", map[string]string{"key1": "value1"})
			startContainer(t, m, "default", "green", "c4", map[string]string{"key1": "value1", "key2": "other"})
			startContainer(t, m, "blue", "yellow", "c5", both)
			if order == "containers first" {
				mastertest.Put(t, m.ServiceLBs(), s)
			}
			if got := providers(t, m, "default:redis"); !slices.Equal(got, []string{"10.1.2.1", "10.1.2.2"}) {
				t.Errorf("want the two containers with both labels, got %v", got)
			}
			got, err := m.ServiceLBs().Inspect(ctx, "default", "redis")
			if err != nil || got.Oper.NumProviders != 2 || got.Oper.ServiceVip == "" || got.Oper.Providers[0].ServiceName != "redis" {
				t.Errorf("inspect: got %+v, %v", got, err)
			}
			if err := m.UpdateEndpoint(ctx, model.UpdateEndpointRequest{Tenant: "default", Event: "die", ContainerID: "id-c1"}); err != nil {
				t.Error(err)
			}
			if err := m.UpdateEndpoint(ctx, model.UpdateEndpointRequest{Tenant: "default", Event: "die", ContainerID: "unknown"}); err != nil {
				t.Error(err)
			}
			if got := providers(t, m, "default:redis"); !slices.Equal(got, []string{"10.1.2.2"}) {
				t.Errorf("a container that died provides nothing, got %v", got)
			}
			startContainer(t, m, "default", "green", "c1", both)
			if err := m.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: "default", NetworkName: "green", EndpointID: "c2"}); err != nil {
				t.Error(err)
			}
			if got := providers(t, m, "default:redis"); !slices.Equal(got, []string{"10.1.2.1"}) {
				t.Errorf("want the container that came back, without the deleted one, got %v", got)
			}
		})
	}
}

// Containers that come together share transactions and are all providers.
func TestSVC_ProvidersInParallel(t *testing.T) {
	m := serviceMaster(t)
	mastertest.Put(t, m.ServiceLBs(), service("web", "tier=web"))
	const n = 50
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			name := fmt.Sprintf("c%d", i)
			_, _, err := m.CreateEndpoint(context.Background(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "green",
				ConfigEP: model.EndpointConfigRequest{Container: name, Host: "h1"}, ContainerID: name, Labels: map[string]string{"tier": "web"}})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := providers(t, m, "default:web"); len(got) != n {
		t.Errorf("want %d providers, got %d", n, len(got))
	}
}

func TestSVC_04_Address(t *testing.T) {
	ctx := context.Background()
	m := serviceMaster(t)
	s := service("web", "tier=web")
	s.IpAddress = "10.1.1.3"
	mastertest.Put(t, m.ServiceLBs(), s)
	startContainer(t, m, "default", "green", "c1", map[string]string{"tier": "db"})
	vip := func() string {
		return mastertest.Read[record.ServiceLB](t, m, record.ServiceLBs+"default:web").IP.String()
	}
	if vip() != "10.1.1.3" {
		t.Errorf("want the preferred address, got %s", vip())
	}
	again := service("web", "tier=db")
	again.Ports = []string{"81:8080:tcp", "53:53:udp"}
	mastertest.Put(t, m.ServiceLBs(), again)
	if got := mastertest.Read[record.ServiceLB](t, m, record.ServiceLBs+"default:web"); got.IP.String() != "10.1.1.3" || got.Ports[0] != "81:8080:TCP" {
		t.Errorf("recreated: want the same address and the new ports, got %+v", got)
	}
	if got := providers(t, m, "default:web"); !slices.Equal(got, []string{"10.1.2.1"}) {
		t.Errorf("recreated: want the new providers, got %v", got)
	}
	taken := service("other", "a=b")
	taken.IpAddress = "10.1.1.3"
	_, err := m.ServiceLBs().Put(ctx, taken)
	mastertest.Refused(t, err, model.CodeConflict, "10.1.1.3")
	again.NetworkName = "green"
	_, err = m.ServiceLBs().Put(ctx, again)
	mastertest.Refused(t, err, model.CodeImmutable, "network")
}

func TestSVC_Refusals(t *testing.T) {
	m := serviceMaster(t)
	tests := []struct {
		name string
		edit func(*model.ServiceLB)
		code model.Code
		text string
	}{
		{"no selectors", func(s *model.ServiceLB) { s.Selectors = nil }, model.CodeInvalid, "selectors"},
		{"no equals sign", func(s *model.ServiceLB) { s.Selectors = []string{"a=b", "tier"} }, model.CodeInvalid, "tier"},
		{"two equals signs", func(s *model.ServiceLB) { s.Selectors = []string{"a=b=c"} }, model.CodeInvalid, "a=b=c"},
		{"no ports", func(s *model.ServiceLB) { s.Ports = nil }, model.CodeInvalid, "port"},
		{"second port short", func(s *model.ServiceLB) { s.Ports = []string{"80:80:TCP", "81:81"} }, model.CodeInvalid, "81:81"},
		{"port not a number", func(s *model.ServiceLB) { s.Ports = []string{"x:80:TCP"} }, model.CodeInvalid, "x:80:TCP"},
		{"port too large", func(s *model.ServiceLB) { s.Ports = []string{"80:65536:TCP"} }, model.CodeInvalid, "65536"},
		{"protocol", func(s *model.ServiceLB) { s.Ports = []string{"80:80:icmp"} }, model.CodeInvalid, "icmp"},
		{"twice", func(s *model.ServiceLB) { s.Ports = []string{"80:80:TCP", "80:81:tcp"} }, model.CodeInvalid, "twice"},
		{"tenant", func(s *model.ServiceLB) { s.TenantName = "absent" }, model.CodeNotFound, "Tenant not found"},
		{"network", func(s *model.ServiceLB) { s.NetworkName = "red" }, model.CodeNotFound, "Network red not found"},
		{"address elsewhere", func(s *model.ServiceLB) { s.IpAddress = "10.9.9.9" }, model.CodeConflict, "10.9.9.9"},
		{"address", func(s *model.ServiceLB) { s.IpAddress = "10.1.1" }, model.CodeInvalid, "ipAddress string invalid format"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := service("web", "tier=web")
			test.edit(s)
			_, err := m.ServiceLBs().Put(context.Background(), s)
			mastertest.Refused(t, err, test.code, test.text)
			if e := model.AsError(err); e.Remedy == "" {
				t.Errorf("refusal %q names no remedy", e.Message)
			}
		})
	}
	n, err := m.Networks().Inspect(context.Background(), "default", "yellow")
	if err != nil || n.Oper.AllocatedIPAddresses != "" {
		t.Errorf("after refusals no address is taken, got %q, %v", n.Oper.AllocatedIPAddresses, err)
	}
}

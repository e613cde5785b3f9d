// SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/contiv/contiv/api/model"
)

func (s *site) network(tenant, name, subnet, gateway string) {
	s.tb.Helper()
	n := model.Network{TenantName: tenant, NetworkName: name, Encap: "vxlan", Subnet: subnet, Gateway: gateway}
	if _, err := s.master.Networks().Put(s.ctx, &n); err != nil {
		s.tb.Fatal(err)
	}
}

func (s *site) group(tenant, network, name, pool string) {
	s.tb.Helper()
	g := model.EndpointGroup{TenantName: tenant, NetworkName: network, GroupName: name, IpPool: pool}
	if _, err := s.master.EndpointGroups().Put(s.ctx, &g); err != nil {
		s.tb.Fatal(err)
	}
}

func (s *site) tenant(name string) {
	s.tb.Helper()
	if _, err := s.master.Tenants().Put(s.ctx, &model.Tenant{TenantName: name}); err != nil {
		s.tb.Fatal(err)
	}
}

// addresses compares the result of a network's inspection.
func (s *site) addresses(tenant, name, allocated, available string, endpoints int) {
	s.tb.Helper()
	got, err := s.master.Networks().Inspect(s.ctx, tenant, name)
	if err != nil {
		s.tb.Fatal(err)
	}
	if o := got.Oper; o.AllocatedIPAddresses != allocated || o.AvailableIPAddresses != available || o.NumEndpoints != endpoints || len(o.Endpoints) != endpoints {
		s.tb.Errorf("network %s: want %q, %q and %d endpoints, got %+v", name, allocated, available, endpoints, *o)
	}
}

func (s *site) create(tenant, network, group, container, wanted string) string {
	s.tb.Helper()
	return s.master.Endpoint(s.tb, tenant, network, group, container, wanted).IP.String()
}

func (s *site) remove(tenant, network, container string) {
	s.tb.Helper()
	if err := s.master.DeleteEndpoint(s.ctx, model.DeleteEndpointRequest{TenantName: tenant, NetworkName: network, EndpointID: container}); err != nil {
		s.tb.Error(err)
	}
}

// programmed waits until the agent has carried out everything so far.
func (s *site) programmed() {
	s.tb.Helper()
	s.master.Relay.Sync()
	wanted := s.master.Relay.Wanted("h1")
	s.eventually("the agent", func() string {
		if got := s.node.Status().Revision; got < wanted {
			return fmt.Sprintf("want revision %d, got %d", wanted, got)
		}
		return ""
	})
}

// IPAM-01, IPAM-02, IPAM-03, EP-01, EP-04, EPG-07: the shown addresses and endpoints, with real containers and with requested addresses.
func TestShownAddresses(t *testing.T) {
	s := newSite(t)
	s.start()
	s.network("default", "test", "10.1.7.0/24", "")
	s.group("default", "test", "epgA", "")
	s.addresses("default", "test", "", "10.1.7.1-10.1.7.254", 0)
	a, _ := s.add("a", "1.0.0", `,"network":"test","group":"epgA"`)
	if a.ip4 != "10.1.7.1" {
		t.Errorf("want 10.1.7.1, got %s", a.ip4)
	}
	s.addresses("default", "test", "10.1.7.1", "10.1.7.2-10.1.7.254", 1)
	if got := s.create("default", "test", "epgA", "c2", "10.1.7.5"); got != "10.1.7.5" {
		t.Errorf("want the address that was asked for, got %s", got)
	}
	s.addresses("default", "test", "10.1.7.1, 10.1.7.5", "10.1.7.2-10.1.7.4, 10.1.7.6-10.1.7.254", 2)
	g, err := s.master.EndpointGroups().Inspect(s.ctx, "default", "epgA")
	if err != nil || g.Oper.NumEndpoints != 2 || len(g.Oper.Endpoints) != 2 || g.Oper.PktTag == 0 {
		t.Errorf("group: want both endpoints, got %+v, %v", g, err)
	}
	n, err := s.master.Networks().Inspect(s.ctx, "default", "test")
	if err != nil {
		t.Fatal(err)
	}
	shown := n.Oper.Endpoints[0]
	if len(shown.IpAddress) != 2 || shown.IpAddress[0] != a.ip4 || shown.Network != "test.default" || shown.HomingHost != "h1" ||
		shown.MacAddress != "02:02:0a:01:07:01" || shown.EndpointGroupKey != "epgA:default" {
		t.Errorf("endpoint: got %+v", shown)
	}
	one, err := s.master.Endpoints().Inspect(s.ctx, "a")
	if err != nil || one.Oper.IpAddress[0] != a.ip4 || !strings.HasPrefix(one.Oper.ContainerID, "a") {
		t.Errorf("endpoint by container: got %+v, %v", one, err)
	}
	if err := s.cni().DelNetworkList(s.ctx, s.conf("1.0.0", `,"network":"test","group":"epgA"`), runtimeConf(a)); err != nil {
		t.Fatal(err)
	}
	s.remove("default", "test", "c2")
	if g, err = s.master.EndpointGroups().Inspect(s.ctx, "default", "epgA"); err != nil || g.Oper.NumEndpoints != 0 {
		t.Errorf("group without endpoints: got %+v, %v", g, err)
	}
	if _, err := s.master.Endpoints().Inspect(s.ctx, "a"); err == nil {
		t.Error("an endpoint that is gone must not be found")
	}
	s.addresses("default", "test", "10.1.7.1", "10.1.7.2-10.1.7.254", 0) // a pod's address rests
}

// IPAM-05: ten simultaneous endpoints get ten addresses, and release them simultaneously.
func TestTenAtOnce(t *testing.T) {
	s := newSite(t)
	s.start()
	s.network("default", "test", "10.1.7.0/24", "")
	each := func(do func(i int)) {
		var wait sync.WaitGroup
		for i := range 10 {
			wait.Go(func() { do(i) })
		}
		wait.Wait()
	}
	each(func(i int) {
		if _, _, err := s.master.CreateEndpoint(s.ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: "test",
			ConfigEP: model.EndpointConfigRequest{Container: fmt.Sprint("c", i), Host: "h1"}}); err != nil {
			t.Error(err)
		}
	})
	s.addresses("default", "test", "10.1.7.1-10.1.7.10", "10.1.7.11-10.1.7.254", 10)
	s.programmed()
	each(func(i int) { s.remove("default", "test", fmt.Sprint("c", i)) })
	s.addresses("default", "test", "", "10.1.7.1-10.1.7.254", 0)
	s.programmed()
}

// IPAM-06, IPAM-07: usable addresses by prefix length, and a group's pool as large as its subnet.
func TestUsableAddresses(t *testing.T) {
	s := newSite(t)
	s.start()
	for i, test := range []struct{ subnet, available string }{
		{"10.3.1.0/27", "10.3.1.1-10.3.1.30"}, {"10.3.2.0/28", "10.3.2.1-10.3.2.14"}, {"10.3.3.0/29", "10.3.3.1-10.3.3.6"},
		{"10.3.4.0/30", "10.3.4.1-10.3.4.2"}, {"10.3.5.0/31", ""}, {"10.3.6.5-10.3.6.15/27", "10.3.6.5-10.3.6.15"},
		{"10.100.100.194-10.100.100.222/27", "10.100.100.194-10.100.100.222"},
	} {
		name := fmt.Sprint("net", i)
		s.network("default", name, test.subnet, "")
		s.addresses("default", name, "", test.available, 0)
		if test.available == "" {
			continue
		}
		s.group("default", name, "g"+name, test.available)
		g, err := s.master.EndpointGroups().Inspect(s.ctx, "default", "g"+name)
		if err != nil || g.Oper.AllocatedIPAddresses != "" || g.Oper.AvailableIPAddresses != test.available {
			t.Errorf("pool %s: got %+v, %v", test.available, g, err)
		}
		s.addresses("default", name, test.available, "", 0)
	}
}

// IPAM-09, IPAM-10, IPAM-11, IPAM-13: gaps, groups of another tenant and of none, and the names inside an address request.
func TestAddressesOfGroups(t *testing.T) {
	s := newSite(t)
	s.start()
	s.network("default", "gaps", "10.1.7.0/24", "10.1.7.254")
	for i := 1; i <= 7; i++ {
		s.create("default", "gaps", "", fmt.Sprint("c", i), "")
	}
	for _, i := range []int{3, 4, 6} {
		s.remove("default", "gaps", fmt.Sprint("c", i))
	}
	s.addresses("default", "gaps", "10.1.7.1-10.1.7.2, 10.1.7.5, 10.1.7.7, 10.1.7.254", "10.1.7.3-10.1.7.4, 10.1.7.6, 10.1.7.8-10.1.7.253", 4)

	s.tenant("teatwo")
	s.network("teatwo", "t2-net", "60.1.1.0/24", "60.1.1.254")
	s.group("teatwo", "t2-net", "t2-epgA", "")
	s.create("teatwo", "t2-net", "t2-epgA", "c1", "")
	want := func() {
		t.Helper()
		s.addresses("teatwo", "t2-net", "60.1.1.1, 60.1.1.254", "60.1.1.2-60.1.1.253", 1)
	}
	want()
	_, _, err := s.master.CreateEndpoint(s.ctx, model.CreateEndpointRequest{TenantName: "teatwo", NetworkName: "t2-net",
		ConfigEP: model.EndpointConfigRequest{Container: "c2", Host: "h1", ServiceName: "absent"}})
	if err == nil {
		t.Error("a group that does not exist must be refused")
	}
	want()

	s.group("teatwo", "t2-net", "pooled", "60.1.1.10-60.1.1.20")
	for id, address := range map[string]string{"t2-net.teatwo": "60.1.1.2/24", "t2-net:pooled.teatwo": "60.1.1.10/24"} {
		got, err := s.master.AllocAddress(s.ctx, model.AllocAddressRequest{NetworkID: id})
		if err != nil || got.IPv4Address != address || got.NetworkID != id {
			t.Errorf("%s: want %s, got %+v, %v", id, address, got, err)
		}
	}
	for _, id := range []string{"abcd", "abcd.1234.12", "abcd:xyz.zyz.abc", "t2-net:absent.teatwo"} {
		if got, err := s.master.AllocAddress(s.ctx, model.AllocAddressRequest{NetworkID: id}); err == nil {
			t.Errorf("%s names nothing, got %+v", id, got)
		}
	}
}

// EP-05: the same state is shown if a client requests the address first and then the endpoint, as Docker does, or only the endpoint, as
// Kubernetes does. TEN-08, TEN-09: the tenant counts them.
func TestBothOrdersAndTotals(t *testing.T) {
	s := newSite(t)
	s.start()
	s.tenant("TestTenant")
	s.network("TestTenant", "TestNet", "20.1.1.0/24", "")
	s.group("TestTenant", "TestNet", "epgA", "")
	s.group("TestTenant", "TestNet", "epgB", "")
	totals := func(endpoints int) {
		t.Helper()
		got, err := s.master.Tenants().Inspect(s.ctx, "TestTenant")
		if o := got.Oper; err != nil || o.TotalNetworks != 1 || o.TotalEPGs != 2 || o.TotalEndpoints != endpoints {
			t.Errorf("want 1 network, 2 groups, %d endpoints, got %+v, %v", endpoints, o, err)
		}
	}
	totals(0)
	s.create("TestTenant", "TestNet", "epgA", "c1", "") // only the endpoint
	totals(1)
	held, err := s.master.AllocAddress(s.ctx, model.AllocAddressRequest{NetworkID: "TestNet.TestTenant", PreferredIPv4Address: "20.1.1.2"})
	if err != nil {
		t.Fatal(err)
	}
	address, _, _ := strings.Cut(held.IPv4Address, "/")
	s.create("TestTenant", "TestNet", "epgB", "c2", address)
	totals(2)
	s.create("TestTenant", "TestNet", "", "c3", "20.1.1.3")
	totals(3)
	s.addresses("TestTenant", "TestNet", "20.1.1.1-20.1.1.3", "20.1.1.4-20.1.1.254", 3)
	for _, c := range []string{"c1", "c2", "c3"} {
		s.remove("TestTenant", "TestNet", c)
	}
	totals(0)
	s.addresses("TestTenant", "TestNet", "", "20.1.1.1-20.1.1.254", 0)
}

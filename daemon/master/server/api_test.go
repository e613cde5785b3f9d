// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// network is a vlan network of the default tenant.
func network(name, subnet string) *model.Network {
	return &model.Network{TenantName: "default", NetworkName: name, Encap: "vlan", Subnet: subnet}
}

// IPAM-01, IPAM-06: the addresses of a fresh network.
func TestNetworkAddresses(t *testing.T) {
	tests := []struct {
		name, subnet, gateway string
		allocated, available  string
	}{
		{"whole", "10.1.1.0/24", "", "", "10.1.1.1-10.1.1.254"},
		{"host bits", "10.1.1.1/24", "10.1.1.254", "10.1.1.254", "10.1.1.1-10.1.1.253"},
		{"range", "10.1.1.5-10.1.1.15/27", "", "", "10.1.1.5-10.1.1.15"},
		{"small", "10.1.1.0/30", "", "", "10.1.1.1-10.1.1.2"},
		{"none", "10.1.1.0/31", "", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := mastertest.Start(t, mastertest.Options{})
			n := network("net1", test.subnet)
			n.Gateway = test.gateway
			mastertest.Put(t, m.Networks(), n)
			got, err := m.Networks().Inspect(context.Background(), "default", "net1")
			if err != nil {
				t.Fatal(err)
			}
			if got.Oper.AllocatedIPAddresses != test.allocated || got.Oper.AvailableIPAddresses != test.available || got.Oper.PktTag != 1 {
				t.Errorf("want allocated %q available %q tag 1, got %+v", test.allocated, test.available, got.Oper)
			}
		})
	}
}

// Networks refuse invalid fields, with the field and a remedy.
func TestNetworkRefusals(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), network("taken", "10.1.1.0/24"))
	mastertest.Put(t, m.EndpointGroups(), &model.EndpointGroup{TenantName: "default", NetworkName: "taken", GroupName: "web"})
	mastertest.Put(t, m.Tenants(), &model.Tenant{TenantName: "blue"})
	tests := []struct {
		name string
		edit func(*model.Network)
		code model.Code
		text string
	}{
		{"unknown tenant", func(n *model.Network) { n.TenantName = "absent" }, model.CodeNotFound, "Tenant not found"},
		{"bad name", func(n *model.Network) { n.NetworkName = "-invalid" }, model.CodeInvalid, "networkName string invalid format"},
		{"bad encap", func(n *model.Network) { n.Encap = "vvvv" }, model.CodeInvalid, "encap string invalid format"},
		{"bad type", func(n *model.Network) { n.NwType = "infratest" }, model.CodeInvalid, "nwType string invalid format"},
		{"short range", func(n *model.Network) { n.Subnet = "10.1.2.10-20/24" }, model.CodeInvalid, "subnet string invalid format"},
		{"range backwards", func(n *model.Network) { n.Subnet = "10.1.2.10-10.1.2.1/24" }, model.CodeInvalid, "Network subnet format not valid"},
		{"range leaves subnet", func(n *model.Network) { n.Subnet = "10.1.2.10-10.1.3.30/24" }, model.CodeInvalid, "Network subnet format not valid"},
		{"NET-12 host subnet", func(n *model.Network) { n.Subnet = "10.1.2.1/32" }, model.CodeInvalid, "subnet string invalid format"},
		{"NET-12 IPv6 host subnet", func(n *model.Network) { n.Ipv6Subnet = "2016:0617::/128" }, model.CodeInvalid, "ipv6Subnet string invalid format"},
		{"NET-16 gateway outside", func(n *model.Network) { n.Gateway = "10.1.9.254" }, model.CodeInvalid, "gateway"},
		{"overlap", func(n *model.Network) { n.Subnet = "10.1.0.0/16" }, model.CodeConflict, "overlaps"},
		{"overlap across encapsulations", func(n *model.Network) { n.Subnet, n.Encap = "10.1.1.0/24", "vxlan" }, model.CodeConflict, "overlaps"},
		{"name of a group", func(n *model.Network) { n.NetworkName = "web" }, model.CodeConflict, "group"},
		{"tag in use", func(n *model.Network) { n.PktTag = 1 }, model.CodeConflict, "requested vlan not available - vlan:1"},
		{"NET-15 tag too large", func(n *model.Network) { n.PktTag = 5000 }, model.CodeConflict, "requested vlan not available"},
		{"NET-15 VNI too large", func(n *model.Network) { n.PktTag, n.Encap = 20000, "vxlan" }, model.CodeConflict, "requested vxlan not available"},
		{"NET-22 again", func(n *model.Network) { n.NetworkName, n.Subnet = "taken", "10.1.1.0/24" }, model.CodeImmutable, "Cant change network parameters"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := network("net1", "10.1.2.0/24")
			test.edit(n)
			_, err := m.Networks().Put(context.Background(), n)
			mastertest.Refused(t, err, test.code, test.text)
			if e := model.AsError(err); e.Remedy == "" {
				t.Errorf("refusal %q names no remedy", e.Message)
			}
		})
	}
	list, err := m.Networks().List(context.Background())
	if err != nil || len(list) != 1 {
		t.Errorf("after refusals: want the one network, got %d, %v", len(list), err)
	}
	if got, _ := m.Globals().Inspect(context.Background(), "global"); got.Oper.VlansInUse != "1" || got.Oper.VxlansInUse != "" {
		t.Errorf("after refusals: want only vlan 1 in use, got %+v", got.Oper)
	}
	blue := network("net1", "10.1.0.0/16")
	blue.TenantName = "blue"
	mastertest.Put(t, m.Networks(), blue) // another tenant may overlap
}

// NET-20, EP-01, EP-04: an endpoint from creation to deletion, as inspection shows it.
func TestEndpointLife(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	n := network("net1", "10.1.1.0/24")
	n.Gateway, n.Ipv6Subnet = "10.1.1.254", "2016:430::/120"
	mastertest.Put(t, m.Networks(), n)
	e := m.Endpoint(t, "default", "net1", "", "c1", "")
	if e.IP.String() != "10.1.1.1" || e.MAC.String() != "02:02:0a:01:01:01" || e.IP6.String() != "2016:430::1" || e.ID.Network.String() != "default:net1" {
		t.Errorf("first endpoint: got %+v", e)
	}
	if again := m.Endpoint(t, "default", "net1", "", "c1", "10.1.1.77"); again.IP != e.IP {
		t.Errorf("created again: want %s unchanged, got %s", e.IP, again.IP)
	}
	m.Endpoint(t, "default", "net1", "", "c2", "10.1.1.5")
	_, _, err := m.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: "net1",
		ConfigEP: model.EndpointConfigRequest{Container: "c3", Host: "h1", IPAddress: "10.1.1.5"}})
	mastertest.Refused(t, err, model.CodeConflict, "c2")
	got, err := m.Networks().Inspect(ctx, "default", "net1")
	if err != nil || got.Oper.AllocatedIPAddresses != "10.1.1.1, 10.1.1.5, 10.1.1.254" || got.Oper.NumEndpoints != 2 {
		t.Errorf("inspect: got %+v, %v", got.Oper, err)
	}
	_, err = m.Networks().Delete(ctx, "default", "net1")
	mastertest.Refused(t, err, model.CodeInUse, "Error: Network has active endpoints")
	found, err := m.Endpoints().Inspect(ctx, "c2")
	if err != nil || found.Oper.IpAddress[0] != "10.1.1.5" || len(found.Oper.IpAddress) != 2 {
		t.Errorf("inspect endpoint: got %+v, %v", found, err)
	}
	for _, c := range []string{"c1", "c2", "c1"} { // deleting what is gone succeeds
		if err := m.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: "default", NetworkName: "net1", EndpointID: c}); err != nil {
			t.Errorf("delete %s: %v", c, err)
		}
	}
	if _, err := m.Networks().Delete(ctx, "default", "net1"); err != nil {
		t.Errorf("delete the empty network: %v", err)
	}
}

// A container id that comes back on another host has moved: it keeps its address, and its flows follow it.
func TestReusedContainer(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), network("net1", "10.1.1.0/24"))
	first := m.Endpoint(t, "default", "net1", "", "c1", "")
	moved, rev, err := m.CreateEndpoint(context.Background(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "net1",
		ConfigEP: model.EndpointConfigRequest{Container: "c1", Host: "h2"}})
	if err != nil || moved.Host != "h2" || moved.IP != first.IP || rev == 0 {
		t.Errorf("want %s on h2, got %+v at %d, %v", first.IP, moved, rev, err)
	}
}

// IPAM-05: with a hundred.
func TestEndpointsInParallel(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), network("net1", "10.1.1.0/24"))
	var wait sync.WaitGroup
	for i := range 100 {
		wait.Go(func() { m.Endpoint(t, "default", "net1", "", fmt.Sprintf("c%d", i), "") })
	}
	wait.Wait()
	got, err := m.Networks().Inspect(context.Background(), "default", "net1")
	if err != nil || got.Oper.AllocatedIPAddresses != "10.1.1.1-10.1.1.100" {
		t.Errorf("want 100 addresses without a gap, got %q, %v", got.Oper.AllocatedIPAddresses, err)
	}
}

// One endpoint costs exactly one store transaction of at most 1.5 KB: the promise that keeps the cluster fast.
func TestEndpointCost(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	n := network("a-network-with-a-long-name", "10.1.0.0/16")
	n.Ipv6Subnet = "2016:430::/64"
	mastertest.Put(t, m.Networks(), n)
	mastertest.Put(t, m.EndpointGroups(), &model.EndpointGroup{TenantName: "default", NetworkName: n.NetworkName, GroupName: "a-group-with-a-long-name"})
	stats := m.Commit.Stats()
	for i := range 50 {
		transactions, bytes := stats.Transactions.Load(), stats.Bytes.Load()
		m.Endpoint(t, "default", n.NetworkName, "a-group-with-a-long-name", fmt.Sprintf("%064d", i), "")
		if got := stats.Transactions.Load() - transactions; got != 1 {
			t.Fatalf("endpoint %d: want 1 transaction, got %d", i, got)
		}
		if got := stats.Bytes.Load() - bytes; got > 1536 {
			t.Fatalf("endpoint %d: want at most 1536 bytes, got %d", i, got)
		}
	}
}

func TestExhaustionChangesNothing(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), network("tiny", "10.1.1.0/30"))
	m.Endpoint(t, "default", "tiny", "", "c1", "")
	m.Endpoint(t, "default", "tiny", "", "c2", "")
	_, _, err := m.CreateEndpoint(context.Background(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "tiny",
		ConfigEP: model.EndpointConfigRequest{Container: "c3", Host: "h1"}})
	mastertest.Refused(t, err, model.CodeExhausted, "auto allocation failed - address exhaustion in")
	if _, err := m.Endpoints().Inspect(context.Background(), "c3"); !client.IsCode(err, model.CodeNotFound) {
		t.Errorf("a refused endpoint must not exist, got %v", err)
	}
}

// EPG-13 to EPG-16: six groups, four of them with pools.
func TestGroupPools(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), network("contiv", "10.2.2.0/24"))
	pools := []string{"", "10.2.2.5-10.2.2.10", "10.2.2.11-10.2.2.30", "", "10.2.2.31-10.2.2.132", "10.2.2.133-10.2.2.180"}
	group := func(i int) string { return fmt.Sprintf("group%d", i+1) }
	for i, pool := range pools {
		mastertest.Put(t, m.EndpointGroups(), &model.EndpointGroup{TenantName: "default", NetworkName: "contiv", GroupName: group(i), IpPool: pool})
	}
	expect := func(allocated, available string) {
		t.Helper()
		got, err := m.Networks().Inspect(ctx, "default", "contiv")
		if err != nil || got.Oper.AllocatedIPAddresses != allocated || got.Oper.AvailableIPAddresses != available {
			t.Errorf("want allocated %q available %q, got %q %q %v", allocated, available, got.Oper.AllocatedIPAddresses, got.Oper.AvailableIPAddresses, err)
		}
	}
	expect("10.2.2.5-10.2.2.180", "10.2.2.1-10.2.2.4, 10.2.2.181-10.2.2.254")
	for i, want := range []string{"10.2.2.1", "10.2.2.5", "10.2.2.11", "10.2.2.2", "10.2.2.31", "10.2.2.133"} {
		if got := m.Endpoint(t, "default", "contiv", group(i), fmt.Sprintf("c%d", i), ""); got.IP.String() != want {
			t.Errorf("%s: want %s, got %s", group(i), want, got.IP)
		}
	}
	expect("10.2.2.1-10.2.2.2, 10.2.2.5-10.2.2.180", "10.2.2.3-10.2.2.4, 10.2.2.181-10.2.2.254")
	two, err := m.EndpointGroups().Inspect(ctx, "default", "group2")
	if err != nil || two.Oper.AllocatedIPAddresses != "10.2.2.5" || two.Oper.AvailableIPAddresses != "10.2.2.6-10.2.2.10" {
		t.Errorf("group2: got %+v, %v", two.Oper, err)
	}
	_, err = m.EndpointGroups().Delete(ctx, "default", "group2")
	mastertest.Refused(t, err, model.CodeInUse, "has active endpoints")
	for i := range pools {
		if err := m.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: "default", NetworkName: "contiv", EndpointID: fmt.Sprintf("c%d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range pools {
		if _, err := m.EndpointGroups().Delete(ctx, "default", group(i)); err != nil {
			t.Fatal(err)
		}
	}
	expect("", "10.2.2.1-10.2.2.254")
}

// GLB-10, GLB-15: networks hold the settings that they depend on.
func TestGlobalInUse(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	n := &model.Network{TenantName: "default", NetworkName: "net1", Encap: "vxlan", Subnet: "10.1.1.0/24", PktTag: 3200}
	mastertest.Put(t, m.Networks(), n)
	set := func(edit func(*model.Global)) error {
		g, err := m.Globals().Get(ctx, "global")
		if err != nil {
			t.Fatal(err)
		}
		edit(g)
		_, err = m.Globals().Put(ctx, g)
		return err
	}
	mastertest.Refused(t, set(func(g *model.Global) { g.FwdMode = "routing" }), model.CodeInUse, "Unable to update forwarding mode due to existing 1 vxlans")
	mastertest.Refused(t, set(func(g *model.Global) { g.PvtSubnet = "172.20.0.0/16" }), model.CodeInUse, "Unable to update private subnet due to existing 1 vxlans")
	mastertest.Refused(t, set(func(g *model.Global) { g.Vxlans = "4000-5000" }), model.CodeInUse, "vxlan")
	mastertest.Refused(t, set(func(g *model.Global) { g.Vlans = "1-5000" }), model.CodeInvalid, "vlan")
	mastertest.Refused(t, set(func(g *model.Global) { g.Vxlans = "1-20000" }), model.CodeInvalid, "too wide")
	if err := set(func(g *model.Global) { g.Vxlans = "3000-5000" }); err != nil {
		t.Error(err)
	}
	if _, err := m.Networks().Delete(ctx, "default", "net1"); err != nil {
		t.Fatal(err)
	}
	if err := set(func(g *model.Global) { g.FwdMode, g.PvtSubnet = "routing", "172.21.0.0/16" }); err != nil {
		t.Error(err)
	}
}

// Clients of the original send no Accept header: they get 500 and only the message.
func TestLegacyAnswers(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	tests := []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/api/v1/networks/", "", 200, "[]\n"},
		{"GET", "/services", "", 200, "[]\n"},
		{"GET", "/service/web:default", "", 200, "null\n"},
		{"GET", "/api/v1/networks", "", 404, "404 page not found\n"},
		{"GET", "/api/v1/networks/default:nope/", "", 500, "network not found\n"},
		{"DELETE", "/api/v1/networks/default:nope/", "", 500, "network not found\n"},
		{"GET", "/api/v1/inspect/endpoints/nope/", "", 500, "endpoint not found\n"},
		{"POST", "/api/v1/networks/default:n1/", "", 500, "EOF\n"},
		{"POST", "/api/v1/networks/default:n1/", `{"tenantName":"default","networkName":"other"}`, 500, "Invalid Key\n"},
		{"POST", "/api/v1/networks/default:n1/", `{"tenantName":"default","networkName":"n1","encap":"vlan","subnet":"10.9.0.0/24"}`, 200,
			`{"key":"default:n1","encap":"vlan","networkName":"n1","nwType":"data","subnet":"10.9.0.0/24","tenantName":"default","link-sets":{},"links":{"Tenant":{"type":"tenant","key":"default"}}}` + "\n"},
		{"GET", "/api/v1/tenants/default/", "", 200,
			`{"key":"default","tenantName":"default","link-sets":{"Networks":{"default:n1":{"type":"network","key":"default:n1"}}}}` + "\n"},
		{"DELETE", "/api/v1/networks/default:n1/", "", 200, "\"default:n1\"\n"},
		{"POST", "/plugin/allocAddress", `{"NetworkID":"n1.default"}`, 404, "404 page not found\n"},
	}
	for _, test := range tests {
		q, err := http.NewRequest(test.method, m.URL+test.path, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultTransport.RoundTrip(q)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != test.status || string(text) != test.want {
			t.Errorf("%s %s:\nwant %d %sgot  %d %s", test.method, test.path, test.status, test.want, answer.StatusCode, text)
		}
	}
}

func TestWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), network("before", "10.1.1.0/24"))
	var seen []string
	synced := false
	for e, err := range m.Watch(ctx, []*model.Kind{model.KindNetwork(), model.KindEndpoint()}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case model.EventFull:
			seen = append(seen, fmt.Sprintf("full %s %d", e.Kind, len(e.Items)))
		case model.EventSync:
			if !synced {
				synced = true
				mastertest.Put(t, m.Networks(), network("after", "10.1.2.0/24"))
			}
		default:
			seen = append(seen, fmt.Sprintf("%s %s %s", e.Type, e.Kind, e.Key))
			switch len(seen) {
			case 3:
				m.Endpoint(t, "default", "after", "", "c1", "")
			case 4:
				if err := m.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: "default", NetworkName: "after", EndpointID: "c1"}); err != nil {
					t.Fatal(err)
				}
			case 5:
				cancel()
			}
		}
		if len(seen) == 5 {
			break
		}
	}
	want := "full network 1|full endpoint 0|put network default:after|put endpoint default:after:c1|delete endpoint default:after:c1"
	if got := strings.Join(seen, "|"); got != want {
		t.Errorf("events:\nwant %s\ngot  %s", want, got)
	}
}

// The hosts' own endpoints go with their infra network: its addresses are free for the next one at once.
func TestInfraNetworkTakesItsEndpointsAlong(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	ctx := context.Background()
	for range 2 {
		n := network("infra1", "10.1.1.0/24")
		n.NwType = "infra"
		mastertest.Put(t, m.Networks(), n)
		for i, host := range []string{"h1", "h2"} {
			e, _, err := m.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: "infra1", EndpointID: host,
				ConfigEP: model.EndpointConfigRequest{Container: host, Host: host}})
			if want := fmt.Sprintf("10.1.1.%d", i+1); err != nil || e.IP.String() != want || e.ID.String() != "default:infra1:"+host {
				t.Fatalf("endpoint of %s: want %s, got %+v, %v", host, want, e, err)
			}
		}
		if _, err := m.Networks().Delete(ctx, "default", "infra1"); err != nil {
			t.Fatal(err)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
)

// sought returns what a text is found in, in order, as "rank kind/key field".
func sought(t *testing.T, c channel.Master, text string, limit int) (out []string, total int) {
	t.Helper()
	answer, err := c.Find(t.Context(), text, limit)
	if err != nil {
		t.Fatalf("find %q: %v", text, err)
	}
	for _, f := range answer.Items {
		out = append(out, f.Rank+" "+f.Ref()+" "+f.Field)
	}
	return out, answer.Total
}

// attachAt creates an endpoint on host h1.
func attachAt(t *testing.T, m *mastertest.Master, tenant, network, group, name, address string) {
	t.Helper()
	if _, _, err := m.As(agentH1).CreateEndpoint(t.Context(), model.CreateEndpointRequest{TenantName: tenant, NetworkName: network, ServiceName: group, EndpointID: name,
		ConfigEP: model.EndpointConfigRequest{Container: name, Host: "h1", IPAddress: address}}); err != nil {
		t.Fatal(err)
	}
}

// marketplace is a cluster with an object of most kinds, an endpoint and two hosts.
func marketplace(t *testing.T) *mastertest.Master {
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	m.Must(t, "tenant shop", "tenant web", "network front tenantName=shop encap=vxlan subnet=10.7.0.0/24 gateway=10.7.0.254", "policy web-in tenantName=shop",
		"rule one tenantName=shop policyName=web-in ruleId=one direction=in protocol=tcp port=5432 action=allow priority=1",
		"endpointGroup web tenantName=shop networkName=front policies=web-in", "endpointGroup webshop tenantName=shop networkName=front",
		"serviceLB cart tenantName=shop networkName=front ports=80:8080:TCP selectors=tier=web")
	attachAt(t, m, "shop", "front", "web", "web-1", "10.7.0.3")
	m.Registered(t, "node-7", "192.0.2.7:9090")
	return m
}

// A text is found in objects of every kind, endpoints and hosts, the better ranks first, and objects before endpoints.
func TestFind(t *testing.T) {
	m := marketplace(t)
	root := m.As(admin)
	for _, row := range []struct {
		text string
		want []string
	}{
		{"WEB", []string{"exact endpointGroup/shop:web name", "exact tenant/web name", "prefix policy/shop:web-in name", "prefix endpointGroup/shop:webshop name", "prefix endpoint/shop:front:web-1 endpointID"}},
		{"10.7.0.3", []string{"exact endpoint/shop:front:web-1 ipAddress", "word network/shop:front subnet"}},
		{"10.7.0.254", []string{"exact network/shop:front gateway"}},
		{"02:02:0a:07:00:03", []string{"exact endpoint/shop:front:web-1 macAddress"}},
		{"02020A070003", []string{"exact endpoint/shop:front:web-1 macAddress"}}, {"0202.0A07.0003", []string{"exact endpoint/shop:front:web-1 macAddress"}},
		{"5432", []string{"exact rule/shop:web-in:one port"}}, {"tcp 5432", []string{"exact rule/shop:web-in:one port"}}, {"udp/5432", nil}, {"8080", []string{"exact serviceLB/shop:cart ports"}},
		{"shop:front", []string{"exact network/shop:front key"}}, {"shop/front/web-1", []string{"exact endpoint/shop:front:web-1 endpointID"}},
		{"node-7", []string{"exact node/node-7 name"}}, {"192.0.2.7", []string{"exact node/node-7 address"}}, {"nothing like it", nil},
	} {
		got, total := sought(t, root, row.text, 0)
		if !slices.Equal(got, row.want) || total != len(got) {
			t.Errorf("%q: got %d\n%s\nwant\n%s", row.text, total, strings.Join(got, "\n"), strings.Join(row.want, "\n"))
		}
	}
}

// A label, or its value, is found in objects and endpoints below all names of the same rank, and each is found once.
func TestFind_Labels(t *testing.T) {
	m := marketplace(t)
	labels := func(name string, of map[string]string) {
		if err := m.As(agentH1).UpdateEndpoint(t.Context(), model.UpdateEndpointRequest{Event: "start", Tenant: "shop", Network: "front", EndpointID: name, ContainerID: name, Host: "h1", Labels: of}); err != nil {
			t.Fatal(err)
		}
	}
	attachAt(t, m, "shop", "front", "web", "db-1", "")
	attachAt(t, m, "shop", "front", "web", "x-db", "")
	labels("web-1", map[string]string{"app": "db", "tier": "front"})
	labels("db-1", map[string]string{"app": "db"})
	policy := model.ApplyObject{Kind: "policy", Fields: map[string]any{"tenantName": "shop", "policyName": "web-in"}}
	if _, _, err := m.As(admin).Label(t.Context(), model.LabelRequest{Objects: []model.ApplyObject{policy}, Set: map[string]string{"app": "db"}}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"app=db": {"exact policy/shop:web-in labels", "exact endpoint/shop:front:db-1 labels", "exact endpoint/shop:front:web-1 labels"},
		"APP=d":  {"prefix policy/shop:web-in labels", "prefix endpoint/shop:front:db-1 labels", "prefix endpoint/shop:front:web-1 labels"},
		"db":     {"prefix endpoint/shop:front:db-1 endpointID", "word endpoint/shop:front:x-db endpointID", "word policy/shop:web-in labels", "word endpoint/shop:front:web-1 labels"},
		"front":  {"exact network/shop:front name", "word endpoint/shop:front:web-1 labels"}, "tier=back": nil, "app": nil,
	} {
		if got, total := sought(t, m.As(admin), text, 0); !slices.Equal(got, want) || total != len(got) {
			t.Errorf("%q: got %d\n%s\nwant\n%s", text, total, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

const dockerID = "4f1c0d2e3a5b69788796a5b4c3d2e1f04f1c0d2e3a5b69788796a5b4c3d2e1f0"

// Docker networks are found by the begin of their id, what they map to, and their subnets.
func TestFind_DockerNetworks(t *testing.T) {
	m := marketplace(t)
	if _, err := m.As(agentH1).CreateDockerNetwork(t.Context(), model.DockerNetworkRequest{ID: dockerID, Host: "h1", Options: map[string]string{"tenant": "shop", "group": "webshop"},
		Pools: []model.DockerPool{{Subnet: "10.7.0.0/24"}}}); err != nil {
		t.Fatal(err)
	}
	docknet := "docknet/" + dockerID
	for text, want := range map[string][]string{
		"4f1c0d2e3a5b": {"prefix " + docknet + " id"}, dockerID: {"exact " + docknet + " id"}, "0d2e3a5b": nil,
		"webshop": {"exact endpointGroup/shop:webshop name", "exact " + docknet + " group"}, "front": {"exact network/shop:front name", "exact " + docknet + " network"},
		"10.7.0.77": {"word network/shop:front subnet", "word " + docknet + " pools"},
	} {
		if got, total := sought(t, m.As(admin), text, 0); !slices.Equal(got, want) || total != len(got) {
			t.Errorf("%q: got %d %q, want %q", text, total, got, want)
		}
	}
	answer, err := m.As(admin).Find(t.Context(), dockerID, 0)
	if err != nil || len(answer.Items) != 1 || answer.Items[0].About != "group shop:webshop host h1" {
		t.Errorf("got %+v, %v", answer, err)
	}
	if got, _ := sought(t, login(t, m, "ann", "tenant-viewer", "web"), "4f1c", 0); len(got) > 0 {
		t.Errorf("a user of another tenant found %q", got)
	}
}

// A netmaster is found by its address, with and without its port, and by the label of the host that it runs on.
func TestFind_Netmasters(t *testing.T) {
	m := marketplace(t)
	m.Kubernetes(t, &record.Service{ServiceName: record.ServiceMaster, HostAddr: "192.0.2.7", Port: 9999, Role: "follower"},
		&record.Service{ServiceName: record.ServiceMaster, HostAddr: "192.0.2.70", Port: 9999, Role: "follower"})
	for text, want := range map[string][]string{
		"192.0.2.7":      {"exact node/node-7 address", "exact node/192.0.2.7 name", "prefix node/192.0.2.70 name"},
		"192.0.2.7:9999": {"exact node/192.0.2.7 address"}, "node-7": {"exact node/node-7 name", "exact node/192.0.2.7 host"},
		"192.0.2.70": {"exact node/192.0.2.70 name"}, "2.0.2.7": nil,
	} {
		if got, total := sought(t, m.As(admin), text, 0); !slices.Equal(got, want) || total != len(got) {
			t.Errorf("%q: got %d %q, want %q", text, total, got, want)
		}
	}
	if got, _ := sought(t, login(t, m, "ann", "tenant-viewer", "web"), "192.0.2.7", 0); len(got) > 0 {
		t.Errorf("a user of a tenant found %q", got)
	}
}

// The number of items is bounded, and the total is not; a text without content, and a limit out of its range, are refused.
func TestFind_Limit(t *testing.T) {
	m := marketplace(t)
	root := m.As(admin)
	for i := range 30 {
		attachAt(t, m, "shop", "front", "web", fmt.Sprintf("cart%02d", i), "")
	}
	if got, total := sought(t, root, "cart", 3); total != 31 || !slices.Equal(got, []string{"exact serviceLB/shop:cart name", "prefix endpoint/shop:front:cart00 endpointID", "prefix endpoint/shop:front:cart01 endpointID"}) {
		t.Errorf("got %d: %q", total, got)
	}
	if got, total := sought(t, root, "cart", 0); total != 31 || len(got) != 20 {
		t.Errorf("without a limit: got %d of %d, want 20 of 31", len(got), total)
	}
	for query, field := range map[string]string{"q=": "q", "q=%20%00": "", "": "q", "q=a&limit=0": "limit", "q=a&limit=201": "limit", "q=a&limit=x": "limit"} {
		got, text := status(t, root, "GET", "/api/v1/find?"+query, "")
		if field != "" && (got != 400 || !strings.Contains(text, field)) || field == "" && got >= 500 {
			t.Errorf("%s: got %d %s, want 400 about %s", query, got, text, field)
		}
	}
	long := strings.Repeat("w", 5000)
	if answer, err := root.Find(t.Context(), long, 0); err != nil || len(answer.Query) > 128 {
		t.Errorf("a long text: got %d bytes, %v", len(answer.Query), err)
	}
}

// A tenant's user finds what lists show it: nothing of other tenants, which the total does not count either, and no host.
func TestFind_Rights(t *testing.T) {
	m := marketplace(t)
	m.Must(t, "network front tenantName=web encap=vxlan subnet=10.8.0.0/24")
	attachAt(t, m, "web", "front", "", "web-9", "10.8.0.9")
	ann := login(t, m, "ann", "tenant-viewer", "web")
	for text, want := range map[string][]string{
		"front": {"exact network/web:front name"}, "web": {"exact tenant/web name", "prefix endpoint/web:front:web-9 endpointID"}, "10.8.0.9": {"exact endpoint/web:front:web-9 ipAddress", "word network/web:front subnet"},
		"10.7.0.3": nil, "5432": nil, "shop:front:": nil, "node-7": nil, "ann": nil,
	} {
		if got, total := sought(t, ann, text, 0); !slices.Equal(got, want) || total != len(want) {
			t.Errorf("%q: got %d %q, want %q", text, total, got, want)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package endpoint_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// refusal fails the test unless err is a refusal with this code that contains all of the words.
func refusal(t *testing.T, err error, code model.Code, words ...string) {
	t.Helper()
	var e *model.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("want %s, got %v", code, err)
	}
	for _, word := range words {
		if !strings.Contains(e.Error(), word) {
			t.Errorf("the refusal: want %q in it, got %v", word, e)
		}
	}
}

// dotted creates a tenant with networks, one after the other.
func dotted(t *testing.T, m *mastertest.Master, tenant string, networks ...string) {
	t.Helper()
	if _, err := m.Tenants().Put(t.Context(), &model.Tenant{TenantName: tenant}); err != nil {
		t.Fatal(err)
	}
	for i, name := range networks {
		n := &model.Network{TenantName: tenant, NetworkName: name, Encap: "vxlan", Subnet: fmt.Sprintf("10.%d.1.0/24", i)}
		if _, err := m.Networks().Put(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
}

func asked(tenant, network, container, host string) model.CreateEndpointRequest {
	return model.CreateEndpointRequest{TenantName: tenant, NetworkName: network, EndpointID: container,
		ConfigEP: model.EndpointConfigRequest{Container: container, Host: host}}
}

// Names may contain the separator of the original's ids. Objects with the same original id coexist, and a change of one by its names does
// not affect the other.
func TestIDsThatReadTheSame(t *testing.T) {
	tests := []struct {
		name       string
		one, other identity.Endpoint
	}{
		{"networks: a.b of c, and a of b.c", endpointID("c", "a.b", "x"), endpointID("b.c", "a", "x")},
		{"containers: x-y of tenant t, and y of tenant t-x", endpointID("t", "n", "x-y"), endpointID("t-x", "n", "y")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := mastertest.Start(t, mastertest.Options{})
			ctx := t.Context()
			if one, other := record.LegacyID(test.one), record.LegacyID(test.other); one != other {
				t.Fatalf("want two that read the same, got %s and %s", one, other)
			}
			for i, id := range []identity.Endpoint{test.one, test.other} {
				dotted(t, m, id.Tenant, id.Name)
				q := asked(id.Tenant, id.Name, id.Endpoint, fmt.Sprint("h", i))
				if made, _, err := m.CreateEndpoint(ctx, q); err != nil || made.ID != id || made.Host != q.ConfigEP.Host || made.IP.String() != "10.0.1.1" {
					t.Fatalf("create %s: want it on %s with the first address of its network, got %+v %v", id, q.ConfigEP.Host, made, err)
				}
			}
			kept := func(want ...identity.Endpoint) {
				t.Helper()
				items, _, err := m.Store.List(ctx, record.Endpoints)
				var got []identity.Endpoint
				for _, it := range items {
					var e record.Endpoint
					if err := json.Unmarshal(it.Value, &e); err != nil || it.Key != record.Endpoints+e.ID.String() {
						t.Errorf("record %s: %s, %v", it.Key, it.Value, err)
					}
					got = append(got, e.ID)
				}
				slices.SortFunc(want, identity.Endpoint.Compare)
				slices.SortFunc(got, identity.Endpoint.Compare)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("want the endpoints %v, got %v, %v", want, got, err)
				}
			}
			kept(test.one, test.other)
			if _, err := m.Networks().Delete(ctx, test.one.Tenant, test.one.Name); !client.IsCode(err, model.CodeInUse) {
				t.Errorf("the network of %s: want it in use, got %v", test.one, err)
			}
			if err := m.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: test.one.Tenant, NetworkName: test.one.Name, EndpointID: test.one.Endpoint}); err != nil {
				t.Fatal(err)
			}
			kept(test.other)
			if _, err := m.Networks().Delete(ctx, test.one.Tenant, test.one.Name); err != nil {
				t.Errorf("the network that %s left: %v", test.one, err)
			}
			if n, err := m.Networks().Inspect(ctx, test.other.Tenant, test.other.Name); err != nil || n.Oper.NumEndpoints != 1 || n.Oper.AllocatedIPAddresses != "10.0.1.1" {
				t.Errorf("the network of %s: want one endpoint at 10.0.1.1, got %+v %v", test.other, n.Oper, err)
			}
		})
	}
}

func endpointID(tenant, network, name string) identity.Endpoint {
	return identity.Endpoint{Network: identity.Network{Tenant: tenant, Name: network}, Endpoint: name}
}

// The original's drivers send "network.tenant". If two networks match, the request is refused; "tenant:network" is unambiguous.
func TestDottedIDOfTwoNetworks(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	ctx := t.Context()
	dotted(t, m, "c", "a.b", "only.one")
	dotted(t, m, "b.c", "a")
	_, err := m.AllocAddress(ctx, model.AllocAddressRequest{NetworkID: "a.b.c"})
	refusal(t, err, model.CodeNotFound, "network not found")
	_, _, err = m.Quarantine(ctx, model.QuarantineRequest{Network: "a.b.c", Address: "10.0.1.9"})
	refusal(t, err, model.CodeNotFound, "network a.b.c not found")
	if got, err := m.AllocAddress(ctx, model.AllocAddressRequest{NetworkID: "only.one.c"}); err != nil || got.IPv4Address != "10.1.1.1/24" {
		t.Errorf("a dotted id of one network: want 10.1.1.1/24, got %+v %v", got, err)
	}
	if _, _, err := m.Quarantine(ctx, model.QuarantineRequest{Network: "c:a.b", Address: "10.0.1.9"}); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ tenant, network, want string }{{"c", "a.b", "10.0.1.9"}, {"b.c", "a", ""}} {
		if n, err := m.Networks().Inspect(ctx, row.tenant, row.network); err != nil || n.Oper.QuarantinedIPAddresses != row.want {
			t.Errorf("network %s of %s: want %q in quarantine, got %q %v", row.network, row.tenant, row.want, n.Oper.QuarantinedIPAddresses, err)
		}
	}
}

// A name belongs to one container at a time, and is deleted only for the host and the container that have it.
func TestEndpointOfAnother(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	ctx := t.Context()
	dotted(t, m, "t", "n")
	q := asked("t", "n", "c-eth1", "h1")
	q.ContainerID = "c"
	if _, _, err := m.CreateEndpoint(ctx, q); err != nil {
		t.Fatal(err)
	}
	q.ContainerID = "c-eth1"
	_, _, err := m.CreateEndpoint(ctx, q)
	refusal(t, err, model.CodeConflict, "endpoint t:n:c-eth1 is an interface of container c")
	for _, q := range []model.DeleteEndpointRequest{{Host: "h2"}, {ContainerID: "c-eth1"}} {
		q.TenantName, q.NetworkName, q.EndpointID = "t", "n", "c-eth1"
		if err := m.DeleteEndpoint(ctx, q); err != nil {
			t.Errorf("delete %+v: want what is another's to count as gone, got %v", q, err)
		}
	}
	if items, _, err := m.Store.List(ctx, record.Endpoints); err != nil || len(items) != 1 {
		t.Errorf("after all of that: want one endpoint, got %d %v", len(items), err)
	}
}

// admitted registers a machine as a host, with its agent running or not.
func admitted(t *testing.T, m *mastertest.Master, h record.Host, runs bool) {
	t.Helper()
	h.Port = 4789
	m.Admitted(t, h)
	if !runs {
		if _, err := m.Registrar.Leave(t.Context(), h.Label, h.Instance); err != nil {
			t.Fatal(err)
		}
	}
}

// Another host gets the name and the addresses of a host only after an operator has forgotten the latter, which is refused while its agent
// runs.
func TestForget(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	ctx := context.Background()
	dotted(t, m, "t", "n")
	host := record.Host{Label: "h1", Machine: "m1", VTEP: netip.MustParseAddr("192.0.2.1"), Control: netip.MustParseAddrPort("192.0.2.1:9090")}
	admitted(t, m, host, true)
	for _, name := range []string{"a", "b", "c"} {
		q := asked("t", "n", name, "h1")
		q.Machine = "m1"
		if e, _, err := m.CreateEndpoint(ctx, q); err != nil || e.VTEP != host.VTEP {
			t.Fatalf("an endpoint of a host that has a tunnel address: want that with it, got %+v %v", e, err)
		}
	}
	_, _, err := m.CreateEndpoint(ctx, asked("t", "n", "a", "h2"))
	refusal(t, err, model.CodeConflict, "host h1 has endpoint t:n:a", "netctl node forget h1")
	_, err = m.Forget(ctx, model.ForgetRequest{Host: "h1", Release: true})
	refusal(t, err, model.CodeInUse, "the agent of host h1 runs")

	admitted(t, m, host, false)
	_, _, err = m.CreateEndpoint(ctx, asked("t", "n", "a", "h2"))
	refusal(t, err, model.CodeConflict, "host h1 has endpoint t:n:a")
	got, err := m.Forget(ctx, model.ForgetRequest{Host: "h1"})
	if text := fmt.Sprint(got, err); text != "{h1 m1 [control/192.0.2.1:9090 host/h1 vtep/192.0.2.1] [t:n:a t:n:b t:n:c] 0 0} <nil>" {
		t.Errorf("forget: want all that it has freed and three endpoints left, got %s", text)
	}
	q := asked("t", "n", "a", "h2")
	q.Machine = "m2"
	if moved, _, err := m.CreateEndpoint(ctx, q); err != nil || moved.Host != "h2" || moved.Machine != "m2" {
		t.Errorf("an endpoint of a host that is forgotten: want it on h2, got %+v %v", moved, err)
	}
	// A new machine is h1 now: the endpoints that the old machine left can be released although the agent runs, its own cannot.
	host.Machine, host.VTEP = "m4", netip.MustParseAddr("192.0.2.4")
	admitted(t, m, host, true)
	own := asked("t", "n", "d", "h1")
	own.Machine = "m4"
	if _, _, err := m.CreateEndpoint(ctx, own); err != nil {
		t.Fatal(err)
	}
	got, err = m.Forget(ctx, model.ForgetRequest{Host: "h1", Release: true})
	if text := fmt.Sprint(got, err); text != "{h1  [] [] 2 0} <nil>" {
		t.Errorf("forget what is left: want two endpoints released, got %s", text)
	}
	_, err = m.Forget(ctx, model.ForgetRequest{Host: "h9"})
	refusal(t, err, model.CodeNotFound, "h9")
}

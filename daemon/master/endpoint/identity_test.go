package endpoint_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// refusal fails the test unless err is a refusal with a code that says all of the words.
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

// dotted makes a tenant with networks, one after the other.
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

// Names may hold what joins them in an id: the second object whose id reads the same is refused, and nothing reaches the first one
// by the second one's names.
func TestIDsThatReadTheSame(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	ctx := context.Background()
	dotted(t, m, "c", "a.b")
	dotted(t, m, "b.c")
	_, err := m.Networks().Put(ctx, &model.Network{TenantName: "b.c", NetworkName: "a", Encap: "vxlan", Subnet: "10.8.1.0/24"})
	refusal(t, err, model.CodeConflict, "network a of tenant b.c", "network a.b of tenant c")
	made, _, err := m.CreateEndpoint(ctx, asked("c", "a.b", "x", "h1"))
	if err != nil || made.Tenant != "c" {
		t.Fatalf("an endpoint of a dotted network: want tenant c, got %+v %v", made, err)
	}
	_, _, err = m.CreateEndpoint(ctx, asked("b.c", "a", "x", "h1"))
	refusal(t, err, model.CodeNotFound, "network a.b.c not found")

	dotted(t, m, "t", "n")
	dotted(t, m, "t-x", "n")
	for _, q := range []model.CreateEndpointRequest{asked("t", "n", "x-y", "h1"), asked("t", "n", "c-eth1", "h1")} {
		q.ContainerID = strings.TrimSuffix(q.EndpointID, "-eth1")
		if _, _, err := m.CreateEndpoint(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err = m.CreateEndpoint(ctx, asked("t-x", "n", "y", "h2"))
	refusal(t, err, model.CodeConflict, "container y on network n of tenant t-x", "container x-y on network n of tenant t")
	other := asked("t", "n", "c-eth1", "h1")
	other.ContainerID = "c-eth1"
	_, _, err = m.CreateEndpoint(ctx, other)
	refusal(t, err, model.CodeConflict, "an interface of container c")
	for _, q := range []model.DeleteEndpointRequest{
		{TenantName: "b.c", NetworkName: "a", EndpointID: "x"}, {TenantName: "t-x", NetworkName: "n", EndpointID: "y"},
		{TenantName: "t", NetworkName: "n", EndpointID: "x-y", Host: "h2"}, {TenantName: "t", NetworkName: "n", EndpointID: "c-eth1", ContainerID: "c-eth1"},
	} {
		if err := m.DeleteEndpoint(ctx, q); err != nil {
			t.Errorf("delete %+v: want what is another's to count as gone, got %v", q, err)
		}
	}
	items, _, err := m.Store.List(ctx, record.Endpoints)
	if err != nil || len(items) != 3 {
		t.Errorf("after all of that: want three endpoints, got %d %v", len(items), err)
	}
}

// claimed writes the claims of a host, as its agent does.
func claimed(t *testing.T, m *mastertest.Master, c record.Claim, live bool) {
	t.Helper()
	var tx store.Tx
	text, err := json.Marshal(c)
	for _, key := range c.Keys() {
		tx.Put(key, text)
	}
	if live {
		tx.Put(record.LiveClaim(c.Host), []byte(`{"machine":"`+c.Machine+`","seat":"s"}`))
	} else {
		tx.Delete(record.LiveClaim(c.Host))
	}
	rev, failed := m.Store.Commit(t.Context(), &tx)
	if err := errors.Join(err, failed, m.Catalog.Wait(t.Context(), rev)); err != nil {
		t.Fatal(err)
	}
}

// What a host has, another gets when it asks, but only once the first is forgotten; that is refused while its agent runs.
func TestForget(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	ctx := context.Background()
	dotted(t, m, "t", "n")
	claim := record.Claim{Machine: "m1", Host: "h1", VTEP: "192.0.2.1", Control: "192.0.2.1:9090"}
	claimed(t, m, claim, true)
	for _, name := range []string{"a", "b", "c"} {
		q := asked("t", "n", name, "h1")
		q.Machine = "m1"
		if e, _, err := m.CreateEndpoint(ctx, q); err != nil || e.VtepIP != claim.VTEP {
			t.Fatalf("an endpoint of a host that claims a tunnel address: want that with it, got %+v %v", e, err)
		}
	}
	_, _, err := m.CreateEndpoint(ctx, asked("t", "n", "a", "h2"))
	refusal(t, err, model.CodeConflict, "host h1 has endpoint n.t-a", "netctl node forget h1")
	_, err = m.Forget(ctx, model.ForgetRequest{Host: "h1", Release: true})
	refusal(t, err, model.CodeInUse, "the agent of host h1 runs")

	claimed(t, m, claim, false)
	_, _, err = m.CreateEndpoint(ctx, asked("t", "n", "a", "h2"))
	refusal(t, err, model.CodeConflict, "host h1 has endpoint n.t-a")
	// Another host has its tunnel address since.
	claimed(t, m, record.Claim{Machine: "m3", Host: "h3", VTEP: "192.0.2.1"}, true)
	got, err := m.Forget(ctx, model.ForgetRequest{Host: "h1"})
	if text := fmt.Sprint(got, err); text != "{h1 m1 [control/192.0.2.1:9090 host/h1] [n.t-a n.t-b n.t-c] 0} <nil>" {
		t.Errorf("forget: want the two claims freed and three endpoints left, got %s", text)
	}
	q := asked("t", "n", "a", "h2")
	q.Machine = "m2"
	if moved, _, err := m.CreateEndpoint(ctx, q); err != nil || moved.HomingHost != "h2" || moved.Machine != "m2" {
		t.Errorf("an endpoint of a host that is forgotten: want it on h2, got %+v %v", moved, err)
	}
	// A new machine is h1 now: what the old one has left there can be released though it runs, its own cannot.
	claim.Machine, claim.VTEP = "m4", "192.0.2.4"
	claimed(t, m, claim, true)
	own := asked("t", "n", "d", "h1")
	own.Machine = "m4"
	if _, _, err := m.CreateEndpoint(ctx, own); err != nil {
		t.Fatal(err)
	}
	got, err = m.Forget(ctx, model.ForgetRequest{Host: "h1", Release: true})
	if text := fmt.Sprint(got, err); text != "{h1  [] [] 2} <nil>" {
		t.Errorf("forget what is left: want two endpoints released, got %s", text)
	}
	_, err = m.Forget(ctx, model.ForgetRequest{Host: "h9"})
	refusal(t, err, model.CodeNotFound, "h9")
}

package inspect_test

import (
	"context"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// An endpoint is found by its key; a name is one's own before it is a part of another's.
func TestInspectEndpointByName(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	for _, tenant := range []string{"acme", "zeta"} {
		for _, o := range []model.Object{&model.Tenant{TenantName: tenant}, &model.Network{TenantName: tenant, NetworkName: "n", Encap: "vxlan", Subnet: "10.1.1.0/24"}} {
			if _, err := m.Put(ctx, o); err != nil {
				t.Fatal(err)
			}
		}
		m.Endpoint(t, tenant, "n", "", "web-10", "")
		m.Endpoint(t, tenant, "n", "", "web-1", "")
	}
	m.Endpoint(t, "zeta", "n", "", "web", "")
	for text, want := range map[string]string{"n.zeta-web-1": "n.zeta web-1", "n.acme-web-10": "n.acme web-10", "web-1": "n.acme web-1", "web": "n.zeta web", "eb-1": "n.acme web-1"} {
		got, err := m.Endpoints().Inspect(ctx, text)
		if err != nil || got.Oper.Network+" "+got.Oper.EndpointID != want {
			t.Errorf("%s: want %s, got %+v, %v", text, want, got.Oper, err)
		}
	}
}

package desired

import (
	"slices"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// Addresses for clients outside are taken by every host, or by those that have a backend.
func TestExternal(t *testing.T) {
	blue := network("net", "blue", 100)
	node := record.KubernetesNode{Name: "n1", Addresses: addrs("192.0.2.1")}
	here := machine("h1", "192.0.2.1")
	web := kubeService("shop", "web", "10.96.0.9")
	web.ExternalIPs, web.LoadBalancerIPs = addrs("192.0.2.9"), addrs("192.0.2.8", "2001:db8::8")
	local := web
	local.ExternalLocal = true
	backend := slice(web, "web-1", "10.1.0.2")
	draining, unready, elsewhere := slice(web, "web-1", "10.1.0.2"), slice(web, "web-1", "10.1.0.2"), slice(web, "web-1", "10.1.0.2")
	draining.Endpoints[0].State, unready.Endpoints[0].State, elsewhere.Endpoints[0].Node = record.EndpointDraining, record.EndpointNotReady, "n2"
	all := addrs("192.0.2.8", "192.0.2.9", "2001:db8::8")
	for _, test := range []struct {
		name   string
		tenant string
		has    []any
		want   int
	}{
		{"any host", "blue", []any{web}, len(all)},
		{"another tenant", "default", []any{web}, 0},
		{"one that keeps them, without a backend", "blue", []any{local}, 0},
		{"one that keeps them, with a backend here", "blue", []any{local, backend}, len(all)},
		{"a draining one", "blue", []any{local, draining}, len(all)},
		{"one that is not ready", "blue", []any{local, unready}, 0},
		{"one elsewhere", "blue", []any{local, elsewhere}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := start(t, append([]any{tenant("blue", 1), blue, node, here, record.Namespace{Name: "shop", Place: record.Place{Tenant: "blue"}}, member(blue, "b1", "h1", 1)}, test.has...)...)
			w.reach("the service", func(s *ofnet.State) bool { return s.Services.Get("shop/web") != nil })
			if got := w.e.External(test.tenant); len(got) != test.want || test.want > 0 && !slices.Equal(got, all) {
				t.Errorf("got %v", got)
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/agent/attach"
)

const dual = "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254 ipv6Subnet=fd01::/64 ipv6Gateway=fd01::fe"

// Every method of libnetwork's remote drivers is answered with its first request.
func TestMethods(t *testing.T) {
	d := newWorld(t).driver("h1")
	for method, want := range map[string]string{
		"Plugin.Activate":                    `{"Implements":["NetworkDriver","IpamDriver"]}`,
		"Plugin.Deactivate":                  `{}`,
		"NetworkDriver.GetCapabilities":      `{"Scope":"local","ConnectivityScope":"global"}`,
		"NetworkDriver.DiscoverNew":          `{}`,
		"NetworkDriver.DiscoverDelete":       `{}`,
		"IpamDriver.GetCapabilities":         `{"RequiresMACAddress":false,"RequiresRequestReplay":false}`,
		"IpamDriver.GetDefaultAddressSpaces": `{"LocalDefaultAddressSpace":"contiv","GlobalDefaultAddressSpace":"contiv"}`,
		"IpamDriver.ReleasePool":             `{}`,
	} {
		for _, body := range []string{"", "{}", `{"PoolID":"x","DiscoveryType":1,"DiscoveryData":{"Address":"10.0.0.1","Self":true}}`} {
			w := httptest.NewRecorder()
			d.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/"+method, strings.NewReader(body)))
			if got := strings.TrimSpace(w.Body.String()); w.Code != http.StatusOK || got != want {
				t.Errorf("%s of %q: want %s, got %d %s", method, body, want, w.Code, got)
			}
		}
	}
	for _, method := range []string{"NetworkDriver.None", "IpamDriver.None", "None"} {
		if err := call(t, d, method, empty{}, &empty{}); err == nil || !strings.Contains(err.Error(), "status 404") {
			t.Errorf("%s: want status 404, got %v", method, err)
		}
	}
	d.Global = true
	var c capabilities
	if err := call(t, d, "NetworkDriver.GetCapabilities", empty{}, &c); err != nil || c.Scope != "global" {
		t.Errorf("of a swarm: want global, got %+v, %v", c, err)
	}
}

// Requests before the agent is ready change nothing, and their errors name the missing parts.
func TestNotReady(t *testing.T) {
	d := newWorld(t).driver("h1")
	d.Starting = func() []string { return []string{"the store", "the switch"} }
	d.readyTimeout = time.Millisecond
	err := call(t, d, "NetworkDriver.CreateEndpoint", endpointRequest{}, &empty{})
	if want := "contiv agent is not ready (it waits for: the store; the switch)"; err == nil || err.Error() != want {
		t.Errorf("want %q, got %v", want, err)
	}
}

// A container is created and deleted by the requests that libnetwork sends.
func TestContainer(t *testing.T) {
	w := newWorld(t, dual)
	d := w.driver("h1")
	pools, err := created(t, d, "n1", map[string]string{"network": "blue"}, true)
	if err != nil {
		t.Fatal(err)
	}
	i := &endpointInterface{}
	for n, to := range []*string{&i.Address, &i.AddressIPv6} {
		var a requestAddressResponse
		if err := call(t, d, "IpamDriver.RequestAddress", requestAddressRequest{PoolID: pools[n]}, &a); err != nil {
			t.Fatal(err)
		}
		*to = a.Address
	}
	if i.Address != "10.1.1.1/24" || i.AddressIPv6 != "fd01::1/64" || len(w.held()) != 2 {
		t.Errorf("addresses: got %+v, held %v", i, w.held())
	}
	q := endpointRequest{NetworkID: "n1", EndpointID: "e1", Interface: i}
	for range 2 { // the engine repeats a request whose answer it has not received
		var e createEndpointResponse
		if err := call(t, d, "NetworkDriver.CreateEndpoint", q, &e); err != nil || e.Interface != (endpointInterface{MacAddress: "02:02:0a:01:01:01"}) {
			t.Errorf("endpoint: got %+v, %v", e, err)
		}
	}
	if res := w.attached["e1"]; res.Owner != "docker/n1" || len(w.held()) != 0 {
		t.Errorf("attached: got %+v, held %v", res, w.held())
	}
	var j joinResponse
	want := joinResponse{InterfaceName: interfaceName{"vfx", "eth"}, Gateway: "10.1.1.254", GatewayIPv6: "fd01::fe"}
	if err := call(t, d, "NetworkDriver.Join", q, &j); err != nil || !same(j, want) {
		t.Errorf("join: want %+v, got %+v, %v", want, j, err)
	}
	q.Options = map[string]any{keyPortMap: []portBinding{{Proto: 17, Port: 53, HostIP: "192.0.2.1", HostPort: 53}, {Proto: 6, Port: 80, HostPort: 8080, HostPortEnd: 8080}}}
	if err := call(t, d, "NetworkDriver.ProgramExternalConnectivity", q, &empty{}); err != nil || w.published["default:blue:e1"] != "tcp/0.0.0.0:8080=80,tcp/[::]:8080=80,udp/192.0.2.1:53=53" {
		t.Errorf("published: %v, %v", w.published, err)
	}
	open := q
	open.Options = map[string]any{keyPortMap: []portBinding{{Proto: 6, Port: 80, HostIP: "192.0.2.1"}, {Proto: 6, Port: 81, HostIP: "192.0.2.1", HostPort: 8000, HostPortEnd: 8010}}}
	if err := call(t, d, "NetworkDriver.ProgramExternalConnectivity", open, &empty{}); err != nil || w.published["default:blue:e1"] != "tcp/192.0.2.1:0=80,tcp/192.0.2.1:8000=81 up to 8010" {
		t.Errorf("ports that are to be chosen: %v, %v", w.published, err)
	}
	var info operInfoResponse
	if err := call(t, d, "NetworkDriver.EndpointOperInfo", q, &info); err != nil || info.Value["io.contiv.endpoint"] != "default:blue:e1" {
		t.Errorf("info: got %+v, %v", info, err)
	}
	for range 2 { // and what is gone is gone
		for _, method := range []string{"NetworkDriver.RevokeExternalConnectivity", "NetworkDriver.Leave", "NetworkDriver.DeleteEndpoint"} {
			if err := call(t, d, method, q, &empty{}); err != nil {
				t.Errorf("%s: %v", method, err)
			}
		}
		if len(w.published) != 0 {
			t.Errorf("still published: %v", w.published)
		}
		for n, a := range []string{"10.1.1.1", "fd01::1"} {
			if err := call(t, d, "IpamDriver.ReleaseAddress", releaseAddressRequest{PoolID: pools[n], Address: a}, &empty{}); err != nil {
				t.Error(err)
			}
		}
		if err := call(t, d, "NetworkDriver.DeleteNetwork", networkID{"n1"}, &empty{}); err != nil {
			t.Error(err)
		}
	}
	w.Must(t, "rm network blue")
	if len(w.attached) != 0 || len(w.held()) != 0 {
		t.Errorf("left: %v, %v", w.attached, w.held())
	}
}

func prefixes(texts ...string) (out []netip.Prefix) {
	for _, text := range texts {
		out = append(out, netip.MustParsePrefix(text))
	}
	return out
}

func addresses(texts ...string) (out []netip.Addr) {
	for _, text := range texts {
		out = append(out, netip.MustParseAddr(text))
	}
	return out
}

// same compares answers as they are sent.
func same(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return slices.Equal(x, y)
}

// Refusals have the field and the remedy.
func TestRefusals(t *testing.T) {
	w := newWorld(t, dual, "network bare encap=vxlan subnet=10.2.1.0/24")
	d := w.driver("h1")
	if _, err := created(t, d, "n1", map[string]string{"network": "blue"}, false); err != nil {
		t.Fatal(err)
	}
	pool := "default:blue:|10.1.1.0/24"
	for _, row := range []struct {
		name, method string
		q            any
		want         string
	}{
		{"no JSON", "NetworkDriver.CreateEndpoint", "text", "read request"},
		{"no network", "NetworkDriver.CreateNetwork", networkRequest{}, "NetworkID: it is missing"},
		{"another IPAM", "NetworkDriver.CreateNetwork", networkRequest{NetworkID: "n2", IPv4Data: []ipamData{{AddressSpace: "LocalDefault", Pool: "172.18.0.0/16"}}}, "--ipam-driver"},
		{"addresses kept out", "NetworkDriver.CreateNetwork", networkRequest{NetworkID: "n2", IPv4Data: []ipamData{{AddressSpace: addressSpace, Pool: "10.1.1.0/24",
			AuxAddresses: map[string]string{"a": "10.1.1.9/24"}}}}, "netctl ip quarantine"},
		{"no endpoint", "NetworkDriver.CreateEndpoint", endpointRequest{NetworkID: "n1"}, "EndpointID: it is missing"},
		{"an unknown network", "NetworkDriver.CreateEndpoint", endpointRequest{NetworkID: "n9", EndpointID: "e1", Interface: &endpointInterface{}}, "NetworkID: Docker network n9"},
		{"no address", "NetworkDriver.CreateEndpoint", endpointRequest{NetworkID: "n1", EndpointID: "e1", Interface: &endpointInterface{Address: "10.1.1.9"}}, "Interface.Address"},
		{"no MAC address", "NetworkDriver.CreateEndpoint", endpointRequest{NetworkID: "n1", EndpointID: "e1", Interface: &endpointInterface{MacAddress: "x"}}, "MacAddress"},
		{"an unknown endpoint", "NetworkDriver.Join", endpointRequest{NetworkID: "n1", EndpointID: "e9"}, "EndpointID: container is not attached"},
		{"no port of the container", "NetworkDriver.ProgramExternalConnectivity", endpointRequest{EndpointID: "e1", Options: map[string]any{keyPortMap: []portBinding{{Proto: 6, HostPort: 80}}}},
			"docker run -p 8080:80"},
		{"a port of no address", "NetworkDriver.ProgramExternalConnectivity", endpointRequest{EndpointID: "e1", Options: map[string]any{keyPortMap: []portBinding{{Proto: 6, Port: 80, HostPort: 80, HostIP: "h1"}}}},
			"is not an address of the host"},
		{"a port of no endpoint", "NetworkDriver.ProgramExternalConnectivity", endpointRequest{EndpointID: "e9", Options: map[string]any{keyPortMap: []portBinding{{Proto: 6, Port: 80, HostPort: 80}}}},
			"EndpointID: container is not attached"},
		{"no pool", "IpamDriver.RequestAddress", requestAddressRequest{PoolID: "x"}, "PoolID"},
		{"another gateway", "IpamDriver.RequestAddress", requestAddressRequest{PoolID: pool, Address: "10.1.1.1", Options: map[string]string{keyAddressType: typeGateway}}, "it is 10.1.1.254"},
		{"a gateway elsewhere", "IpamDriver.RequestAddress", requestAddressRequest{PoolID: pool, Address: "10.2.1.1", Options: map[string]string{keyAddressType: typeGateway}}, "not an address of subnet"},
		{"the gateway", "IpamDriver.RequestAddress", requestAddressRequest{PoolID: pool, Address: "10.1.1.254"}, "10.1.1.254"},
		{"a range of addresses", "IpamDriver.RequestPool", requestPoolRequest{Pool: "10.1.1.0/24", SubPool: "10.1.1.16/28"}, "netctl group create --ip-pool"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := call(t, d, row.method, row.q, &empty{}); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("want %q, got %v", row.want, err)
			}
		})
	}
}

// Containers of a network without a gateway, and of an internal one, get no gateway, nor the engine's bridge in its place. For a gateway
// outside of the subnet, the answer has a route.
func TestJoin(t *testing.T) {
	w := newWorld(t, "network bare encap=vxlan subnet=10.2.1.0/24")
	pools, err := created(t, w.driver("h1"), "n1", map[string]string{"network": "bare"}, false)
	if err != nil || pools[0] != "default:bare:|10.2.1.0/24" {
		t.Fatalf("got %v, %v", pools, err)
	}
	res := attach.Result{FarName: "vfx", Addrs: prefixes("10.1.1.1/24", "fd01::1/64"), Gateways: addresses("10.1.1.254", "fd63::1")}
	for _, row := range []struct {
		name     string
		res      attach.Result
		internal bool
		want     joinResponse
	}{
		{"outside of its subnet", res, false, joinResponse{InterfaceName: interfaceName{"vfx", "eth"}, Gateway: "10.1.1.254", GatewayIPv6: "fd63::1",
			StaticRoutes: []staticRoute{{"fd63::1/128", routeConnected}}}},
		{"internal", res, true, joinResponse{InterfaceName: interfaceName{"vfx", "eth"}, DisableGatewayService: true}},
		{"without a gateway", attach.Result{FarName: "vfx", Addrs: res.Addrs}, false, joinResponse{InterfaceName: interfaceName{"vfx", "eth"}, DisableGatewayService: true}},
	} {
		if got := joined(&row.res, row.internal); !same(got, row.want) {
			t.Errorf("%s: want %+v, got %+v", row.name, row.want, got)
		}
	}
}

// A container that cannot be attached leaves nothing, whatever the engine does afterwards.
func TestFailedEndpoint(t *testing.T) {
	w := newWorld(t, dual)
	d := w.driver("h1")
	pools, err := created(t, d, "n1", map[string]string{"network": "blue"}, false)
	if err != nil {
		t.Fatal(err)
	}
	var a requestAddressResponse
	if err := call(t, d, "IpamDriver.RequestAddress", requestAddressRequest{PoolID: pools[0]}, &a); err != nil {
		t.Fatal(err)
	}
	w.fail = errors.New("the switch does not answer")
	err = call(t, d, "NetworkDriver.CreateEndpoint", endpointRequest{NetworkID: "n1", EndpointID: "e1", Interface: &endpointInterface{Address: a.Address}}, &empty{})
	if err == nil || !strings.Contains(err.Error(), "the switch does not answer") || len(w.held()) != 0 || len(w.attached) != 0 {
		t.Errorf("got %v, held %v, attached %v", err, w.held(), w.attached)
	}
	// The address of an endpoint that netmaster refuses is released too.
	if err := call(t, d, "IpamDriver.RequestAddress", requestAddressRequest{PoolID: pools[0]}, &a); err != nil {
		t.Fatal(err)
	}
	q := endpointRequest{NetworkID: "n1", EndpointID: "e1", Interface: &endpointInterface{Address: a.Address, MacAddress: "02:02:0a:01:01:63"}}
	err = call(t, d, "NetworkDriver.CreateEndpoint", q, &empty{})
	if err == nil || !strings.Contains(err.Error(), "belongs to IPv4 address 10.1.1.99") || len(w.held()) != 0 {
		t.Errorf("got %v, held %v", err, w.held())
	}
}

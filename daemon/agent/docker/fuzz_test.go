// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// methods are all methods that decode a request.
var methods = []string{"NetworkDriver.CreateNetwork", "NetworkDriver.DeleteNetwork", "NetworkDriver.AllocateNetwork", "NetworkDriver.FreeNetwork",
	"NetworkDriver.CreateEndpoint", "NetworkDriver.DeleteEndpoint", "NetworkDriver.EndpointOperInfo", "NetworkDriver.Join", "NetworkDriver.Leave",
	"NetworkDriver.ProgramExternalConnectivity", "NetworkDriver.RevokeExternalConnectivity", "NetworkDriver.DiscoverNew", "NetworkDriver.DiscoverDelete",
	"IpamDriver.RequestPool", "IpamDriver.ReleasePool", "IpamDriver.RequestAddress", "IpamDriver.ReleaseAddress", "IpamDriver.GetCapabilities",
	"IpamDriver.GetDefaultAddressSpaces", "NetworkDriver.GetCapabilities", "Plugin.Activate", "Plugin.Deactivate"}

// Any request gets an answer that engines understand, and a refusal has a reason: both from the agent and from a proxy without an agent.
func FuzzRequests(f *testing.F) {
	w := newWorld(f, dual)
	d := w.driver("h1")
	for i, text := range []string{
		`{"NetworkID":"n1","Options":{"com.docker.network.generic":{"network":"blue"}},"IPv4Data":[{"AddressSpace":"contiv","Pool":"10.1.1.0/24","Gateway":"10.1.1.254/24"}]}`,
		`{"NetworkID":"n1"}`, `{"NetworkID":"n1","Options":{"contiv-tag":"x"}}`, ``,
		`{"NetworkID":"n1","EndpointID":"e1","Interface":{"Address":"10.1.1.7/24","AddressIPv6":"fd01::7/64","MacAddress":"0a:58:0a:01:01:07"},"Options":{}}`,
		`{"NetworkID":"n1","EndpointID":"e1"}`, `null`, `{"EndpointID":"e1","SandboxKey":"/var/run/docker/netns/x"}`, `[]`,
		`{"EndpointID":"e1","Options":{"com.docker.network.portmap":[{"Proto":6,"IP":"","Port":80,"HostIP":"0.0.0.0","HostPort":8080,"HostPortEnd":8090}]}}`,
		`{"EndpointID":"e1","Options":{"com.docker.network.portmap":7}}`, `{"DiscoveryType":1,"DiscoveryData":{"Address":"10.0.0.1"}}`, `{"DiscoveryData":[]}`,
		`{"Pool":"10.1.1.0/24","Options":{"network":"blue","group":"g"},"V6":false}`, `{"PoolID":"x"}`,
		`{"PoolID":"default:blue:|10.1.1.0/24","Address":"10.1.1.7","Options":{"RequestAddressType":"com.docker.network.gateway"}}`,
		`{"PoolID":"default::|fd01::/64","Address":"fd01::7"}`, `{}`, `{}`, `{}`, `{"x":1}`, `x`,
	} {
		f.Add(uint8(i), text)
		f.Add(uint8(i), "")
	}
	f.Fuzz(func(t *testing.T, i uint8, text string) {
		closed := NewPluginProxy("/none.sock", "/none/agent.sock", false, d.Log)
		closed.restart = 0
		for _, h := range []http.Handler{d.Handler(), closed.handler()} {
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/"+methods[int(i)%len(methods)], strings.NewReader(text)))
			var failed failure
			if err := json.Unmarshal(rec.Body.Bytes(), &failed); err != nil {
				t.Fatalf("%q: the answer is not JSON: %v: %s", text, err, rec.Body)
			}
			if rec.Code != http.StatusOK && (rec.Code != http.StatusInternalServerError || failed.Err == "") {
				t.Errorf("%q: status %d and %q", text, rec.Code, rec.Body)
			}
		}
	})
}

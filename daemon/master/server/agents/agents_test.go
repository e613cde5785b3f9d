// SPDX-License-Identifier: Apache-2.0

package agents_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// The routes of agents are as old as the original, and answer as it did.
func TestRoutes(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24", "service shop networkName=blue selectors=a=b ports=80:8080:TCP ipAddress=10.1.1.99")
	for _, row := range []struct {
		name, method, path, content, body string
		status                            int
		want                              string // begins the answer
	}{
		{"an address", "POST", "/plugin/allocAddress", "application/json", `{"NetworkID":"blue.default"}`, 200, `{"NetworkID":"blue.default","IPv4Address":"10.1.1.1/24"}`},
		{"and back", "POST", "/plugin/releaseAddress", "application/json", `{"NetworkID":"blue.default","IPv4Address":"10.1.1.1"}`, 200, `"success"`},
		{"an endpoint", "POST", "/plugin/createEndpoint", "application/json", `{"TenantName":"default","NetworkName":"blue","ConfigEP":{"Container":"c1","Host":"h1"}}`, 200, `{"EndpointConfig":{`},
		{"an endpoint of Docker's", "POST", "/plugin/createEndpoint", "application/json", `{"TenantName":"default","NetworkName":"blue","ConfigEP":{"Container":"c2","Host":"h1"},"DockerNetwork":"d1"}`, 200, `{"EndpointConfig":{`},
		{"another content type", "POST", "/plugin/createEndpoint", "application/json; charset=utf-8", `{}`, 404, "404 page not found"},
		{"none", "POST", "/plugin/createEndpoint", "", `{}`, 404, "404 page not found"},
		{"no JSON", "POST", "/plugin/createEndpoint", "application/json", `{`, 500, "unexpected end of JSON input"},
		{"a refusal, to an old client", "POST", "/plugin/deleteEndpoint", "application/json", `{"TenantName":"default","NetworkName":"blue","EndpointID":"c9"}`, 500, "endpoint default:blue:c9 not found"},
		{"an event of a runtime", "POST", "/plugin/updateEndpoint", "application/json", `{"IPAddress":"10.1.1.1","Event":"start","Tenant":"default","Network":"blue","EndpointID":"c1","ContainerID":"c1"}`, 200, `{"IPAddress":"10.1.1.1"}`},
		{"where a Docker network's addresses come from", "POST", "/plugin/requestDockerPool", "application/json", `{"Options":{"network":"blue"}}`, 200, `{"PoolID":"default:blue:|10.1.1.0/24","Pool":"10.1.1.0/24","Gateway":"","Exists":true}`},
		{"a Docker network", "POST", "/plugin/createDockerNetwork", "application/json", `{"ID":"d1","Host":"h1","Pools":[{"Subnet":"10.1.1.0/24"}]}`, 200, `{"id":"default.blue.","tenantName":"default","networkName":"blue","serviceName":"","docknetUUID":"d1","host":"h1","pools":["10.1.1.0/24"]}`},
		{"the Docker networks", "GET", "/api/v1/docknets", "", "", 200, `[{"id":"d1","tenant":"default","network":"blue","host":"h1","pools":["10.1.1.0/24"],"endpoints":1}]`},
		{"a Docker network that goes", "POST", "/plugin/deleteDockerNetwork", "application/json", `{"ID":"d1","Host":"h1"}`, 200, `"success"`},
		{"none are left", "GET", "/api/v1/docknets", "", "", 200, `[]`},
		{"the services", "GET", "/services", "", "", 200, `[{`},
		{"one of them", "GET", "/service/shop:default", "", "", 200, `[{`},
		{"one that is not there", "GET", "/service/none:default", "", "", 200, "null"},
	} {
		t.Run(row.name, func(t *testing.T) {
			q, err := http.NewRequestWithContext(t.Context(), row.method, m.URL+row.path, strings.NewReader(row.body))
			if err != nil {
				t.Fatal(err)
			}
			if row.content != "" {
				q.Header.Set("Content-Type", row.content)
			}
			answer, err := http.DefaultClient.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }()
			text, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode != row.status || !strings.HasPrefix(string(text), row.want) {
				t.Errorf("want %d %s, got %d %s, %v", row.status, row.want, answer.StatusCode, text, err)
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package agents_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// The original's routes for debugging answer: the state of the data plane, and the deletion of endpoints.
func TestOriginal(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "tenant shop", "tenant other")
	for _, tenant := range []string{"shop", "other"} {
		m.Must(t, "network front tenantName="+tenant+" encap=vxlan subnet=10.1.1.0/24", "network back tenantName="+tenant+" encap=vxlan subnet=10.2.1.0/24", "group web tenantName="+tenant+" networkName=front")
		m.Endpoint(t, tenant, "front", "web", "web-1", "")
		m.Endpoint(t, tenant, "front", "", "web-2", "")
		m.Endpoint(t, tenant, "back", "", "db-1", "")
	}
	request := func(method, path string) (int, string) {
		t.Helper()
		q, err := http.NewRequestWithContext(t.Context(), method, m.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Accept", "application/json")
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	left := func() (out struct{ EndpointDb map[string]any }) {
		t.Helper()
		code, text := request(http.MethodGet, "/debug/ofnet")
		if err := json.Unmarshal([]byte(text), &out); code != http.StatusOK || err != nil || !strings.Contains(text, `"AgentDb":{}`) {
			t.Fatalf("got %d %s, %v", code, text, err)
		}
		return out
	}
	if n := len(left().EndpointDb); n != 6 {
		t.Fatalf("endpoints: got %d, want 6", n)
	}
	for _, row := range []struct {
		path string
		code int
		text string
		left int
	}{
		{"shop/group/web", 200, "deleted 1 endpoints of group web in tenant shop", 5},
		{"shop/ep/nothing", 200, "deleted 0 endpoints", 5},
		{"shop/net/back", 200, "deleted 1 endpoints", 4},
		{"shop/ep/web", 200, "deleted 1 endpoints", 3},
		{"other/pod/web", 400, "want net, group or ep", 3},
	} {
		if code, text := request(http.MethodDelete, "/debug/epcleanup/tenant/"+row.path); code != row.code || !strings.Contains(text, row.text) {
			t.Errorf("%s: got %d %s, want %d %s", row.path, code, text, row.code, row.text)
		}
		if n := len(left().EndpointDb); n != row.left {
			t.Errorf("%s: got %d endpoints, want %d", row.path, n, row.left)
		}
	}
}

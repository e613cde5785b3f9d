// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/store/memory"
)

// raw sends bytes to a netmaster and reads the answer.
func (p *process) raw(t *testing.T, text string) (*http.Response, string) {
	t.Helper()
	base, err := url.Parse(p.Base)
	if err != nil {
		t.Fatal(err)
	}
	nc, err := net.Dial("tcp", base.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = nc.Close() }()
	if _, err := io.WriteString(nc, text); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(nc), nil)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, _ := io.ReadAll(answer.Body)
	return answer, string(body)
}

// A follower passes requests to the leader and to no one else, whatever their first line says.
func TestForwardingGoesToTheLeaderAlone(t *testing.T) {
	db := memory.New()
	one := start(t, db)
	until(t, "the first leads", func() bool { return one.role() == "leader" })
	two := start(t, db)
	until(t, "the second follows", func() bool { return two.role() == "follower" })
	var asked atomic.Int64
	victim := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked.Add(1)
		_, _ = io.WriteString(w, "the victim's secret")
	}))
	defer victim.Close()
	at := strings.TrimPrefix(victim.URL, "http://")
	body := `{"tenantName":"x"}`
	for _, target := range []string{"x:@" + at + "/api/v1/tenants/x/", "x:y@" + at + "/", "http://" + at + "/api/v1/tenants/x/", "http://u:p@" + at + "/api/v1/tenants/x/",
		"//" + at + "/api/v1/tenants/x/", "/\\" + at + "/", "@" + at + "/", "/@" + at + "/", "*", "/api/v1/tenants/x/#@" + at, "?@" + at} {
		answer, text := two.raw(t, fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", target, len(body), body))
		if answer.StatusCode != http.StatusBadRequest && answer.StatusCode != http.StatusNotFound {
			t.Errorf("PUT %s: want 400 or 404, got %s %s", target, answer.Status, text)
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the follower passed %d requests to an address that a client named", n)
	}
	if _, err := two.Tenants().Put(t.Context(), &model.Tenant{TenantName: "y"}); err != nil {
		t.Errorf("a write through the follower: %v", err)
	}
}

// A client that is no netmaster cannot claim to forward the request of someone else, neither to the leader nor to a follower: forged headers
// change only the name that the client gives itself. Headers of one connection, or of the browser, are not forwarded.
func TestOnlyMastersVouch(t *testing.T) {
	db := memory.New()
	one := start(t, db)
	until(t, "the first leads", func() bool { return one.role() == "leader" })
	two := start(t, db)
	until(t, "the second follows", func() bool { return two.role() == "follower" })
	const claim, all = "X-Contiv-Actor: root@master\r\n", "X-Contiv-Actor: root@master\r\nX-Contiv-Forwarded-By: 6.6.6.6:9999\r\nX-Contiv-Client: 9.9.9.9\r\nX-Contiv-Voucher: 1 0000\r\n"
	for _, test := range []struct {
		name, headers string
		through       *process
		want          map[string]any
	}{
		{"plain", "", one, map[string]any{"address": "127.0.0.1"}},
		{"plain-via", "", two, map[string]any{"address": "127.0.0.1", "via": "127.0.0.1"}},
		{"program", "User-Agent: netctl/1.0\r\n", two, map[string]any{"program": "netctl/1.0", "address": "127.0.0.1", "via": "127.0.0.1"}},
		{"claim", claim, one, map[string]any{"claimed": "root@master", "address": "127.0.0.1"}},
		{"claim-via", claim, two, map[string]any{"claimed": "root@master", "address": "127.0.0.1", "via": "127.0.0.1"}},
		{"forged", all, one, map[string]any{"claimed": "root@master", "address": "127.0.0.1"}},
		{"forged-via", all, two, map[string]any{"claimed": "root@master", "address": "127.0.0.1", "via": "127.0.0.1"}},
		{"client", "X-Contiv-Client: 9.9.9.9\r\nX-Contiv-Voucher: 1 0000\r\n", two, map[string]any{"address": "127.0.0.1", "via": "127.0.0.1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			body := fmt.Sprintf(`{"tenantName":%q}`, test.name)
			answer, text := test.through.raw(t, fmt.Sprintf("POST /api/v1/tenants/%s/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n%sContent-Length: %d\r\nConnection: close, X-Contiv-Client\r\n\r\n%s",
				test.name, test.headers, len(body), body))
			if answer.StatusCode != http.StatusOK {
				t.Fatalf("%s %s", answer.Status, text)
			}
			var entries []struct {
				By map[string]any `json:"by"`
			}
			if err := one.Raw(t.Context(), "/api/v1/history/tenant/"+test.name, &entries); err != nil || len(entries) != 1 || !reflect.DeepEqual(entries[0].By, test.want) {
				t.Errorf("want %v, got %v, %v", test.want, entries, err)
			}
		})
	}
}

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contiv/contiv/api/client"
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

// A follower passes requests to the leader and to nobody else, whatever their first line says.
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

// Who is no netmaster cannot say that it passes on the request of somebody else, neither to the leader nor to a follower; and what
// concerns one connection, or the browser, does not go on.
func TestOnlyMastersVouch(t *testing.T) {
	ctx := context.Background()
	db := memory.New()
	one := start(t, db)
	until(t, "the first leads", func() bool { return one.role() == "leader" })
	two := start(t, db)
	until(t, "the second follows", func() bool { return two.role() == "follower" })
	forged := "X-Contiv-Forwarded-By: 6.6.6.6:9999\r\nX-Contiv-Client: 9.9.9.9\r\nX-Contiv-Voucher: 1 0000\r\n"
	put := func(p *process, tenant string) (int, string) {
		body := fmt.Sprintf(`{"tenantName":%q}`, tenant)
		answer, text := p.raw(t, fmt.Sprintf("POST /api/v1/tenants/%s/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n%sContent-Length: %d\r\nConnection: close, X-Contiv-Client\r\n\r\n%s",
			tenant, forged, len(body), body))
		return answer.StatusCode, text
	}
	if status, text := put(one, "a"); status != http.StatusOK {
		t.Fatalf("to the leader: %d %s", status, text)
	}
	if status, _ := put(two, "b"); status != http.StatusServiceUnavailable {
		t.Errorf("to a follower, which passes nothing on twice: want 503, got %d", status)
	}
	forged = "X-Contiv-Client: 9.9.9.9\r\nX-Contiv-Voucher: 1 0000\r\n"
	if status, text := put(two, "c"); status != http.StatusOK {
		t.Errorf("through a follower: %d %s", status, text)
	}
	entries, err := one.History(ctx, client.HistoryQuery{Kind: "tenant"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]model.Actor{}
	for _, e := range entries {
		got[e.Key] = e.By
	}
	if by := got["a"]; by.Address != "127.0.0.1" || by.Via != "" {
		t.Errorf("a client's word for where it comes from counts: %+v", by)
	}
	if by := got["c"]; by.Address != "127.0.0.1" || by.Via != "127.0.0.1" {
		t.Errorf("through a follower: got %+v", by)
	}
}

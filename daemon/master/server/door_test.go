// SPDX-License-Identifier: Apache-2.0

package server_test

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
	"testing"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/master/server"
)

// line sends a request line and a header as they are, and reads the answer.
func line(tb testing.TB, m *mastertest.Master, text, body string) (*http.Response, string) {
	tb.Helper()
	nc, err := net.Dial("tcp", strings.TrimPrefix(m.URL, "http://"))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = nc.Close() }()
	if _, err := fmt.Fprintf(nc, "%s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", text, len(body), body); err != nil {
		tb.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(nc), nil)
	if err != nil {
		tb.Fatalf("%q: %v", text, err)
	}
	defer func() { _ = answer.Body.Close() }()
	got, _ := io.ReadAll(answer.Body)
	return answer, string(got)
}

// Requests that a page of another site has a browser send change nothing, and read nothing under that site's name. A client of the original sends
// no Origin, and an address as the host.
func TestBrowsers(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	const tenant = `{"tenantName":"t"}`
	for _, test := range []struct {
		name, head, body string
		status           int
	}{
		{"another origin makes", "POST /api/v1/tenants/t/ HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\nContent-Type: text/plain", tenant, 403},
		{"another origin applies", "POST /api/v1/apply HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example", `{"objects":[{"kind":"tenant","fields":{"tenantName":"t"}}]}`, 403},
		{"another origin deletes", "DELETE /api/v1/tenants/default/ HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: null", "", 403},
		{"another name reads", "GET /api/v1/tenants/ HTTP/1.1\r\nHost: evil.example", "", 403},
		{"another name makes", "POST /api/v1/tenants/t/ HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example", tenant, 403},
		{"a supervisor asks by any name", "GET /healthz HTTP/1.1\r\nHost: lb.example", "", 200},
		{"a client of the original", "POST /api/v1/tenants/t/ HTTP/1.1\r\nHost: netmaster:9999", tenant, 200},
		{"it deletes", "DELETE /api/v1/tenants/t/ HTTP/1.1\r\nHost: netmaster:9999", "", 200},
		{"no route for a browser's question first", "OPTIONS /api/v1/tenants/t/ HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: PUT", "", 404},
	} {
		answer, text := line(t, m, test.head, test.body)
		if answer.StatusCode != test.status || answer.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: want %d, got %s %s", test.name, test.status, answer.Status, text)
		}
	}
}

// However many methods and paths clients try, and whatever is in them, the metrics stay short, and no handler panics.
func TestMetricsStayShort(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	count := func() (lines int, text string) {
		answer, err := http.Get(m.URL + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		all, _ := io.ReadAll(answer.Body)
		return strings.Count(string(all), "\n"), string(all)
	}
	before, _ := count()
	for i := range 300 {
		for _, what := range []string{fmt.Sprintf("GET /api/v1/x%d", i), fmt.Sprintf("M%d /api/v1/tenants/", i), fmt.Sprintf("GET /plugin/x%d", i)} {
			if answer, text := line(t, m, what+" HTTP/1.1\r\nHost: 127.0.0.1", ""); answer.StatusCode != http.StatusNotFound {
				t.Fatalf("%s: want 404, got %s %s", what, answer.Status, text)
			}
		}
	}
	if after, _ := count(); after > before+60 {
		t.Errorf("after 900 requests the metrics grew from %d to %d lines", before, after)
	}
	for _, path := range []string{"/api/v1/%ff", "/api/v1/tenants/%ff/", "/api/v1/tenants/%00/", "/api/v1/tenants/a%2fb/", "/api/v1/history/tenant/%ff", "/api/v1/history/%ff", "/api/v1/agents/%ff/flows",
		"/api/v1/agents/h1/%ff", "/api/v1/why?from=%ff&to=%00", "/api/v1/find?q=%ff", "/api/v1/watch?kinds=%ff", "/api/v1/capture?of=%ff", "/api/v1/observe?from=%ff", "/api/v1/counters?tenant=%ff", "/service/%ff", "/%ff", "/api/v1/inspect/tenants/%ff/", "/api/v1/addresses?address=%ff",
		"/api/v1/history?since=%ff&limit=%00", "/api/v1/ledger?tenant=%ff&network=%ff", "/api/v1/inspect/endpoints/%ff/", "/api/v1/;%ff?%zz=%", "/api/v1/history/tenant/x?at=%ff"} {
		answer, text := line(t, m, "GET "+path+" HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json", "")
		if answer.StatusCode >= 500 || strings.Contains(text, "defect") {
			t.Errorf("%s: got %s %s", path, answer.Status, text)
		}
	}
	if _, text := count(); !strings.Contains(text, "contiv_master_panics_total 0\n") {
		t.Error("a handler panicked")
	}
}

// Watches, captures and traces are bounded for one client and for all; who is refused hears of the flag, and when to come again.
func TestWatchesAreBounded(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Limits: server.Limits{Watches: 8, Captures: 1, Traces: 4}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	open := func() *http.Response {
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, m.URL+"/api/v1/watch?kinds=tenant", nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Accept", "application/json")
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	first := open()
	for _, answer := range []*http.Response{first, open()} {
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("within the bound: %s", answer.Status)
		}
		defer func() { _ = answer.Body.Close() }()
	}
	third := open()
	text, _ := io.ReadAll(third.Body)
	_ = third.Body.Close()
	if third.StatusCode != http.StatusTooManyRequests || third.Header.Get("Retry-After") == "" || !strings.Contains(string(text), "--max-watches") {
		t.Errorf("the third of a client: want 429, a time and the flag, got %s %s", third.Status, text)
	}
	for _, err := range m.Watch(ctx, []*model.Kind{model.KindTenant()}) {
		if !client.IsCode(err, model.CodeBusy) {
			t.Errorf("the client says %v", err)
		}
		break
	}
	_ = first.Body.Close()
	for {
		if again := open(); again.StatusCode == http.StatusOK { // the server notices a moment later that the first has gone
			_ = again.Body.Close()
			break
		}
	}
}

// A capture ends with its client, at the agent too, and makes room for the next.
func TestCaptureEndsWithItsClient(t *testing.T) {
	began, gone := make(chan struct{}, 2), make(chan struct{}, 2)
	agent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		began <- struct{}{}
		<-q.Context().Done()
		gone <- struct{}{}
	}))
	defer agent.Close()
	m := mastertest.Start(t, mastertest.Options{Limits: server.Limits{Captures: 1}})
	m.Registered(t, "h1", agent.Listener.Addr().String())
	mastertest.Put(t, m.Networks(), network("n", "10.1.1.0/24"))
	m.Endpoint(t, "default", "n", "", "c1", "")
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			for { // until the one before has made room
				_, err := m.Capture(ctx, model.CaptureRequest{Of: "c1"})
				if !client.IsCode(err, model.CodeUnavailable) || ctx.Err() != nil {
					ended <- err
					return
				}
			}
		}()
		<-began
		if err := captureRefused(m); !strings.Contains(err, "--max-captures") {
			t.Errorf("a second capture: got %q", err)
		}
		cancel()
		if err := <-ended; err == nil {
			t.Error("an answer, and no agent gave one")
		}
		<-gone
	}
}

// captureRefused is what a netmaster says to a capture.
func captureRefused(m *mastertest.Master) string {
	_, err := m.Capture(context.Background(), model.CaptureRequest{Of: "c1"})
	if err == nil {
		return ""
	}
	return err.Error()
}

// A master that asks an agent goes nowhere else: an agent's redirection is not followed, and a registration that is no address of a
// host is none.
func TestAgentsDoNotSendMastersElsewhere(t *testing.T) {
	victim := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		t.Errorf("the master asked the victim: %s %s", q.Method, q.URL)
		_, _ = io.WriteString(w, "[]")
	}))
	defer victim.Close()
	agent := httptest.NewServer(http.RedirectHandler(victim.URL+"/secret", http.StatusTemporaryRedirect))
	defer agent.Close()
	m := mastertest.Start(t, mastertest.Options{})
	m.Registered(t, "h1", agent.Listener.Addr().String())
	var out any
	if err := m.Client.Inspect(t.Context(), "h1", "flows", nil, &out); err == nil {
		t.Errorf("a redirection is an answer: %v", out)
	}
	if nodes, err := m.Nodes(t.Context()); err != nil || len(nodes) != 1 || nodes[0].Ready {
		t.Errorf("nodes: %+v, %v", nodes, err)
	}
	u, err := url.Parse(victim.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"x@" + u.Hostname(), "0.0.0.0", "a/b", "", "224.0.0.1", "localhost", "127.0.0.1:0#"} {
		body := fmt.Sprintf(`{"host":"bad","machine":"m","vtep":"192.0.2.9","port":4789,"control":%q}`, net.JoinHostPort(host, u.Port()))
		q, err := http.NewRequest(http.MethodPost, m.URL+"/plugin/register", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Accept", "application/json")
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusBadRequest {
			t.Errorf("an agent at %q: want it refused, got %s", host, answer.Status)
		}
	}
	if nodes, err := m.Nodes(t.Context()); err != nil || len(nodes) != 1 {
		t.Errorf("registrations that are no addresses count: %+v, %v", nodes, err)
	}
}

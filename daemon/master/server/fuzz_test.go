// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// mostAnswer bounds what a small cluster has to say to one request, in bytes.
const mostAnswer = 4 << 20

// filled is a master with an object of the kinds that others need, an endpoint, and an agent that knows nothing.
func filled(tb testing.TB) *mastertest.Master {
	tb.Helper()
	m := mastertest.Start(tb, mastertest.Options{})
	if _, err := m.Networks().Put(tb.Context(), network("n", "10.9.0.0/24")); err != nil {
		tb.Fatal(err)
	}
	if _, err := m.Policys().Put(tb.Context(), &model.Policy{TenantName: "default", PolicyName: "p"}); err != nil {
		tb.Fatal(err)
	}
	m.Endpoint(tb, "default", "n", "", "c1", "")
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { http.NotFound(w, q) }))
	tb.Cleanup(agent.Close)
	m.Registered(tb, "h1", agent.Listener.Addr().String())
	return m
}

// FuzzRoutes sends any method, target and body to the server as bytes of a connection: whatever they are, the answer is short, is no
// defect, and the server continues.
func FuzzRoutes(f *testing.F) {
	for _, seed := range [][3]string{
		{"GET", "/api/v1/%ff", ""}, {"GET", "/api/v1/tenants/%00/", ""}, {"PUT", "x:@127.0.0.1:1/p", "{}"}, {"GET", "/api/v1/tenants/a%2f%2e%2e/", ""},
		{"GET", "/api/v1/endpoints/?limit=1&fieldSelector=homingHost%3Dh1&labelSelector=!%00", ""}, {"GET", "/api/v1/networks/?continue=e30&limit=-1", ""}, {"GET", "/api/v1/watch?kinds=tenant&limit=0&labelSelector=a", ""},
		{"POST", "/api/v1/apply", `{"objects":[{"kind":"tenant","fields":{"tenantName":"t"}}]}`}, {"POST", "/api/v1/apply", `{"objects":[{"kind":"rule","fields":{"tenantName":"\u0000"}}],"delete":true}`},
		{"POST", "/api/v1/labels", `{"objects":[{"kind":"network","fields":{"tenantName":"default","networkName":"n"}}],"set":{"a":"b","\u0000":""},"remove":["c"],"overwrite":true}`},
		{"GET", "/api/v1/why?from=c1&to=10.9.0.7&protocol=tcp&port=80", ""}, {"GET", "/api/v1/why?from=%ff&to=%00&port=-1", ""},
		{"GET", "/api/v1/find?q=%ff%00:/&limit=200", ""}, {"GET", "/api/v1/find?q=n&limit=-1", ""},
		{"GET", "/api/v1/capture?of=c1&peer=c1&both=true&filter=%27", ""}, {"GET", "/api/v1/history/network/default:n?at=1", ""}, {"GET", "/api/v1/observe?from=c1&since=-1s&denied=x", ""}, {"GET", "/api/v1/history?limit=9999999999999999999", ""},
		{"GET", "/api/v1/history/policy?at=9999-12-31T23:59:59Z", ""}, {"GET", "/api/v1/ledger?tenant=default&network=n&address=10.9.0.1-10.9.0.2", ""}, {"GET", "/api/v1/addresses?address=::%2525", ""},
		{"POST", "/api/v1/addresses/quarantine", `{"network":"n.default","address":"10.9.0.77","seconds":-9223372036854775808}`},
		{"POST", "/api/v1/addresses/quarantine", `{"network":"n.default","address":"10.9.0.77","seconds":9223372036854775807}`},
		{"POST", "/plugin/createEndpoint", `{"tenantName":"default","networkName":"n","endpointID":"x","configEP":{"container":"x","host":"h1","ipAddress":"10.9.0.300"}}`},
		{"POST", "/plugin/deleteEndpoint", `{"tenantName":"default","networkName":"n","endpointID":"c1"}`}, {"POST", "/plugin/allocAddress", `{"NetworkID":"n.default","AddressPool":"","PreferredIPv4Address":"%"}`},
		{"POST", "/plugin/updateEndpoint", `{"ipAddress":"10.9.0.1","containerId":"\u0000"}`}, {"POST", "/api/v1/leadership/handover", `{"to":"\n"}`},
		{"GET", "/api/v1/agents/h1/flows?owner=%ff", ""}, {"POST", "/api/v1/agents/h1/drift", ""}, {"GET", "/service/%zz", ""}, {"GET", "/metrics?name[]=%ff", ""}, {"OPTIONS", "*", ""}, {"\x7f", "/", ""},
		{"GET", "/api/v1/inspect/endpoints/c1/?x[]=" + strings.Repeat("a", 5000), ""}, {"DELETE", "/api/v1/globals/global/", ""}, {"POST", "/api/v1/tenants/t/", strings.Repeat("[", 20000)},
	} {
		f.Add(seed[0], seed[1], []byte(seed[2]))
	}
	m := filled(f)
	at := strings.TrimPrefix(m.URL, "http://")
	f.Fuzz(func(t *testing.T, method, target string, body []byte) {
		if strings.Contains(target, "/watch") || strings.ContainsAny(method+target, "\r\n") {
			return // a stream without an end; another request
		}
		nc, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatalf("the server is gone: %v", err)
		}
		defer func() { _ = nc.Close() }()
		if err := nc.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintf(nc, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", method, target, len(body), body)
		answer, err := http.ReadResponse(bufio.NewReader(nc), &http.Request{Method: method})
		if _, malformed := http.ReadRequest(bufio.NewReader(strings.NewReader(method + " " + target + " HTTP/1.1\r\nHost: h\r\n\r\n"))); malformed != nil {
			return // net/http closes the connection, be the body read or not
		}
		if err != nil {
			t.Fatalf("%q %q: no answer: %v", method, target, err)
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer+1))
		switch {
		case err != nil:
			t.Fatalf("%q %q: %s, broken off: %v", method, target, answer.Status, err)
		case len(text) > mostAnswer:
			t.Fatalf("%q %q: an answer of more than %d bytes", method, target, mostAnswer)
		case answer.StatusCode == http.StatusInternalServerError || answer.StatusCode > http.StatusNotImplemented && answer.StatusCode != http.StatusServiceUnavailable && answer.StatusCode != http.StatusHTTPVersionNotSupported:
			t.Fatalf("%q %q: %s %.500s", method, target, answer.Status, text)
		}
	})
}

// What is compressed is not unpacked: it is no JSON, however little it is.
func TestCompressedBodies(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 64 {
		if _, err := z.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/v1/apply", "/api/v1/tenants/t/", "/plugin/createEndpoint"} {
		q, err := http.NewRequest(http.MethodPost, m.URL+path, bytes.NewReader(bomb.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		q.Header = http.Header{"Content-Encoding": {"gzip"}, "Content-Type": {"application/json"}, "Accept": {"application/json"}}
		answer, err := http.DefaultTransport.RoundTrip(q)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: want 400, got %s", path, answer.Status)
		}
	}
}

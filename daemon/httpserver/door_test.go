// SPDX-License-Identifier: Apache-2.0

package httpserver_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/httpserver"
)

// serve runs a server with a limit of connections until the test ends, and returns its address.
func serve(t *testing.T, h http.Handler, times httpserver.Times, bound *httpserver.Connections) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := httpserver.NewServer(h, times, slog.New(slog.DiscardHandler))
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(bound.Listen(l)) }()
	t.Cleanup(func() { _ = srv.Close(); <-done })
	return l.Addr().String()
}

func dial(t *testing.T, at string) net.Conn {
	t.Helper()
	nc, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	if err := nc.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return nc
}

// A connection is closed if its request's header or body does not complete in time, or if it is idle.
func TestSlowClientsEnd(t *testing.T) {
	short := httpserver.Times{Header: 50 * time.Millisecond, Body: 100 * time.Millisecond, Idle: 50 * time.Millisecond}
	failed := make(chan error, 1)
	bound := httpserver.NewConnections(0, 0)
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if _, err := io.ReadAll(q.Body); err != nil {
			failed <- err
		}
	}), short, bound)
	for name, text := range map[string]string{
		"a body":  "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n{",
		"chunks":  "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{",
		"header":  "GET / HTTP/1.1\r\nHost: h\r\nX",
		"nothing": "",
		"idle":    "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
	} {
		nc := dial(t, at)
		if _, err := io.WriteString(nc, text); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, nc); err != nil && errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: the connection stays open: %v", name, err)
		}
		if name == "a body" || name == "chunks" {
			if err := <-failed; err == nil {
				t.Errorf("%s: the handler has it whole", name)
			}
		}
	}
	if o := httpserver.Ordinary(); o.Header <= 0 || o.Body <= 0 || o.Idle <= 0 {
		t.Errorf("a time has no end: %+v", o)
	}
}

// A connection above the limit receives an answer that names the flag, and is closed; when another connection closes, there is room
// again.
func TestConnectionsAreBounded(t *testing.T) {
	for _, test := range []struct {
		name       string
		most, each int
		flag       string
	}{{"all", 2, 0, "the maximum of --max-connections;"}, {"of a client", 0, 2, "the maximum of --max-connections-per-client;"}} {
		t.Run(test.name, func(t *testing.T) {
			bound := httpserver.NewConnections(test.most, test.each)
			at := serve(t, http.NotFoundHandler(), httpserver.Ordinary(), bound)
			first := dial(t, at)
			ask := func(nc net.Conn) (int, string) {
				_, _ = io.WriteString(nc, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
				answer, err := http.ReadResponse(bufio.NewReader(nc), nil)
				if err != nil {
					return 0, err.Error()
				}
				body, _ := io.ReadAll(answer.Body)
				return answer.StatusCode, answer.Header.Get("Retry-After") + " " + string(body)
			}
			for _, nc := range []net.Conn{first, dial(t, at)} {
				if status, text := ask(nc); status != http.StatusNotFound {
					t.Fatalf("within the bound: %d %s", status, text)
				}
			}
			if status, text := ask(dial(t, at)); status != http.StatusServiceUnavailable || !strings.Contains(text, test.flag) || !strings.HasPrefix(text, "5 ") {
				t.Errorf("want 503 with %s, got %d %s", test.flag, status, text)
			}
			if bound.Open() != 2 || bound.Refused() != 1 {
				t.Errorf("want 2 open and 1 refused, got %d and %d", bound.Open(), bound.Refused())
			}
			_ = first.Close()
			for status := 0; status != http.StatusNotFound; { // the server notices a moment later
				status, _ = ask(dial(t, at))
			}
		})
	}
}

func TestGate(t *testing.T) {
	g := httpserver.NewGate("watches", "max-watches", 8)
	var leaves []func()
	enter := func(client string) error {
		leave, err := g.Enter(client)
		if err == nil {
			leaves = append(leaves, leave)
		}
		return err
	}
	for i := range 2 {
		if err := enter("a"); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if e := model.AsError(enter("a")); e.Code != model.CodeBusy || !strings.Contains(e.Message, "--max-watches") {
		t.Errorf("the third of a client: got %v", e)
	}
	for _, client := range []string{"b", "b", "c", "c", "d", "d"} {
		if err := enter(client); err != nil {
			t.Fatal(err)
		}
	}
	if e := model.AsError(enter("e")); e.Code != model.CodeUnavailable || !strings.Contains(e.Message, "--max-watches") {
		t.Errorf("the ninth of all: got %v", e)
	}
	leaves[0]()
	leaves[0]() // a second call has no effect
	if g.Open() != 7 || g.Refused() != 2 {
		t.Errorf("want 7 in progress and 2 refused, got %d and %d", g.Open(), g.Refused())
	}
	if err := enter("e"); err != nil {
		t.Error(err)
	}
}

func TestClient(t *testing.T) {
	for remote, want := range map[string]string{"10.1.1.1:80": "10.1.1.1", "[::ffff:10.1.1.1]:80": "10.1.1.1", "[2001:db8:1:2:3::4]:80": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:80": "fe80::1", "[::1]:80": "::1", "@": "@", "": ""} {
		if got := httpserver.Client(remote); got != want {
			t.Errorf("%q: want %q, got %q", remote, want, got)
		}
	}
}

// Requests that a page of another site makes a browser send are refused; those of other clients are not.
func TestVisitors(t *testing.T) {
	h := httpserver.Visitors(httpserver.NewNames("api.example.org", "*.corp.example"), []string{"/healthz"}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {}))
	for _, test := range []struct {
		name, method, target, host, origin, site string
		want                                     int
	}{
		{"an address", "PUT", "/p", "10.1.1.1:9999", "", "", 200},
		{"an IPv6 address", "PUT", "/p", "[2001:db8::1]:9999", "", "", 200},
		{"localhost", "PUT", "/p", "localhost:9999", "", "", 200},
		{"a name without a dot", "PUT", "/p", "netmaster:9999", "", "", 200},
		{"a Kubernetes service", "PUT", "/p", "netmaster.kube-system.svc.cluster.local:9999", "", "", 200},
		{"a name of the flag", "PUT", "/p", "API.example.org.:9999", "", "", 200},
		{"a wildcard of the flag", "PUT", "/p", "one.corp.example", "", "", 200},
		{"no host", "GET", "/p", "", "", "", 200},
		{"a name that was bound to our address", "GET", "/p", "evil.example:9999", "", "", 403},
		{"ours as a part", "PUT", "/p", "api.example.org.evil.example", "", "", 403},
		{"an address as a part", "GET", "/p", "10.1.1.1.evil.example", "", "", 403},
		{"health, whatever the name", "GET", "/healthz", "lb.example", "", "", 200},
		{"a page of ours", "PUT", "/p", "10.1.1.1:9999", "http://10.1.1.1:9999", "", 200},
		{"a page of another site", "PUT", "/p", "10.1.1.1:9999", "http://evil.example", "", 403},
		{"a deletion by it", "DELETE", "/p", "10.1.1.1:9999", "http://evil.example", "", 403},
		{"a page of nowhere", "POST", "/p", "10.1.1.1:9999", "null", "", 403},
		{"another port", "POST", "/p", "10.1.1.1:9999", "http://10.1.1.1:80", "", 403},
		{"a form of another site", "POST", "/p", "10.1.1.1:9999", "", "cross-site", 403},
		{"a proxy's target", "PUT", "http://10.1.1.1/p", "10.1.1.1", "", "", 400},
	} {
		q := httptest.NewRequest(test.method, test.target, nil)
		q.Host = test.host
		if test.origin != "" {
			q.Header.Set("Origin", test.origin)
		}
		if test.site != "" {
			q.Header.Set("Sec-Fetch-Site", test.site)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, q)
		if w.Code != test.want || w.Code != 200 && !strings.Contains(w.Body.String(), "(") {
			t.Errorf("%s: want %d and a remedy, got %d %s", test.name, test.want, w.Code, w.Body)
		}
	}
	q := httptest.NewRequest("GET", "/p", nil)
	if q.Host = "evil.example"; !httpserver.NewNames("*").Has(q.Host) {
		t.Error("* is every name")
	}
}

// timed is the connection of an answer, which records its write deadline.
type timed struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (w *timed) SetWriteDeadline(t time.Time) error { w.until = t; return nil }

// An answer has a deadline, which grows with its length; each message of a stream has its own.
func TestPace(t *testing.T) {
	w := &timed{ResponseRecorder: httptest.NewRecorder()}
	whole := httpserver.Whole(w)
	whole.WriteHeader(http.StatusOK)
	first := w.until
	if left := time.Until(first); left <= 0 || left > 2*time.Minute {
		t.Fatalf("an answer that begins has %s", left)
	}
	for range 1000 {
		_, _ = whole.Write([]byte("x"))
	}
	if grown := w.until.Sub(first); grown > time.Second {
		t.Errorf("a client that takes a byte at a time gains %s", grown)
	}
	_, _ = whole.Write(make([]byte, 64<<20))
	if grown := w.until.Sub(first); grown < time.Minute || grown > time.Hour {
		t.Errorf("64 MiB take %s more", grown)
	}
	stream := httpserver.Stream(w)
	_, _ = fmt.Fprint(stream, "x")
	first = w.until
	if left := time.Until(first); left <= 0 || left > time.Minute {
		t.Errorf("a message has %s", left)
	}
	if _, _ = fmt.Fprint(stream, "x"); !w.until.After(first) {
		t.Error("the next message has no time of its own")
	}
	if err := http.NewResponseController(stream).Flush(); err != nil || !w.Flushed {
		t.Errorf("flush: %v", err)
	}
}

// A request is served or refused, whatever it says of its target, its host and its origin.
func FuzzVisitors(f *testing.F) {
	f.Add("PUT", "x:@10.0.0.1:80/p", "10.1.1.1", "http://evil")
	f.Add("GET", "/%ff", "evil.example:x:y", "null")
	f.Add("POST", "//a", "[::1", "http://[::1")
	f.Add("OPTIONS", "*", "xn--", "://")
	served := 0
	h := httpserver.Visitors(httpserver.NewNames(), nil, http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		served++
		if !strings.HasPrefix(q.URL.Path, "/") || q.URL.Host != "" || q.URL.User != nil {
			panic("served " + q.RequestURI)
		}
	}))
	f.Fuzz(func(t *testing.T, method, target, host, origin string) {
		q, err := http.ReadRequest(bufio.NewReader(strings.NewReader(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\nOrigin: " + origin + "\r\n\r\n")))
		if err != nil {
			return
		}
		before, w := served, httptest.NewRecorder()
		h.ServeHTTP(w, q)
		if (w.Code == http.StatusOK) != (served > before) {
			t.Errorf("%s %s: %d", method, target, w.Code)
		}
	})
}

// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	grpccodes "google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/contiv/contiv/daemon/task"
)

// fakeCollector keeps what it receives by OTLP, or refuses it.
type fakeCollector struct {
	collector.UnimplementedTraceServiceServer
	mu      sync.Mutex
	refuses bool
	spans   map[string]*trace.Span // by name
	service []string               // attributes of the resource
}

func (c *fakeCollector) Export(_ context.Context, q *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuses {
		return nil, status.Error(grpccodes.PermissionDenied, "no such tenant")
	}
	for _, r := range q.ResourceSpans {
		for _, a := range r.Resource.Attributes {
			c.service = append(c.service, a.Key+"="+a.Value.GetStringValue())
		}
		for _, scope := range r.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans[s.Name] = s
			}
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

// listen returns a collector and its URL. It ends with the test.
func listen(t *testing.T) (*fakeCollector, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, srv := &fakeCollector{spans: map[string]*trace.Span{}}, grpc.NewServer()
	collector.RegisterTraceServiceServer(srv, c)
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(l) }()
	t.Cleanup(func() { srv.Stop(); <-done })
	return c, "http://" + l.Addr().String()
}

// ended runs a recorder's task to its end, which sends what is left.
func ended(t *testing.T, r *Recorder) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := task.Run(ctx, slog.New(slog.DiscardHandler), r.Task()); err != nil {
		t.Fatal(err)
	}
}

// A trace crosses HTTP: the spans of both daemons reach the collector, each with its parent, its outcome and its service.
func TestTrace(t *testing.T) {
	c, url := listen(t)
	log := slog.New(slog.DiscardHandler)
	agent, err := New(Settings{url}, Service{"netplugin", "1.2.3", "h1"}, log)
	if err != nil {
		t.Fatal(err)
	}
	master, err := New(Settings{url}, Service{"netmaster", "1.2.3", "h2"}, log)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		ctx, end := master.Begin(FromHeader(q.Context(), q.Header), "serve", time.Time{})
		_, endStep := Step(ctx, "store")
		endStep(errors.New("the store is full\x1b[2J"))
		end(nil)
	}))
	defer srv.Close()
	started := time.Now().Add(-time.Second)
	ctx, end := agent.Begin(t.Context(), "ADD", started, "contiv.container", "c1", "contiv.group", "")
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := Client(srv.Client()).Do(q)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Fatal(err)
	}
	end(nil)
	ended(t, agent)
	ended(t, master)

	add, serve, store := c.spans["ADD"], c.spans["serve"], c.spans["store"]
	if add == nil || serve == nil || store == nil {
		t.Fatalf("spans: got %v, want ADD, serve and store", c.spans)
	}
	if string(serve.TraceId) != string(add.TraceId) || string(serve.ParentSpanId) != string(add.SpanId) || string(store.ParentSpanId) != string(serve.SpanId) {
		t.Errorf("spans: want ADD > serve > store, got %v, %v, %v", add, serve, store)
	}
	if got := store.Status; got.Code != trace.Status_STATUS_CODE_ERROR || !strings.Contains(got.Message, "the store is full") || strings.Contains(got.Message, "\x1b") {
		t.Errorf("status of store: got %v", got)
	}
	if add.Status.GetCode() == trace.Status_STATUS_CODE_ERROR || add.StartTimeUnixNano != uint64(started.UnixNano()) || len(add.Attributes) != 1 {
		t.Errorf("ADD: got %v", add)
	}
	for _, want := range []string{"service.name=netplugin", "service.name=netmaster", "host.name=h1", "service.version=1.2.3"} {
		if !slices.Contains(c.service, want) {
			t.Errorf("resource: got %v, want %s", c.service, want)
		}
	}
}

// Without a recorder nothing is traced, and steps and requests carry nothing.
func TestTrace_None(t *testing.T) {
	none, err := New(Settings{}, Service{}, slog.New(slog.DiscardHandler))
	if none != nil || err != nil {
		t.Fatalf("got %v, %v, want no recorder", none, err)
	}
	seen := ""
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { seen = q.Header.Get("Traceparent") }))
	defer srv.Close()
	ctx, end := none.Begin(t.Context(), "ADD", time.Time{})
	ctx, endStep := Step(ctx, "store")
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := Client(&http.Client{}).Do(q)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || seen != "" {
		t.Errorf("traceparent: got %q, want none, %v", seen, err)
	}
	endStep(nil)
	end(errors.New("any"))
	ended(t, none)
}

// A trace of the runtime continues if the plugin's environment names it.
func TestFromEnviron(t *testing.T) {
	c, url := listen(t)
	r, err := New(Settings{url}, Service{Name: "netplugin"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for name, parent := range map[string]string{"a": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "b": "rubbish",
		"c": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"} {
		_, end := r.Begin(FromEnviron(t.Context(), map[string]string{"TRACEPARENT": parent}), name, time.Time{})
		end(nil)
	}
	ended(t, r)
	if a := c.spans["a"]; a == nil || a.ParentSpanId[0] != 0xb7 || a.TraceId[0] != 0x0a {
		t.Errorf("a: got %v, want a child of the runtime's span", a)
	}
	if b := c.spans["b"]; b == nil || len(b.ParentSpanId) != 0 {
		t.Errorf("b: got %v, want a trace of its own", b)
	}
	if c.spans["c"] != nil {
		t.Error("c: want no span, because the runtime does not sample its trace")
	}
}

// A collector that refuses spans costs nothing but the spans, and one line of the log reports it.
func TestTrace_Refused(t *testing.T) {
	c, url := listen(t)
	c.refuses = true
	var out strings.Builder
	log := slog.New(slog.NewTextHandler(&out, nil))
	r, err := New(Settings{url}, Service{Name: "netplugin"}, log)
	if err != nil {
		t.Fatal(err)
	}
	flush := func() {
		t.Helper()
		_, end := r.Begin(t.Context(), "ADD", time.Time{})
		end(nil)
		if err := r.Flush(t.Context()); err != nil {
			t.Error(err)
		}
	}
	flush()
	flush()
	if got := out.String(); strings.Count(got, "traces are lost") != 1 || !strings.Contains(got, "no such tenant") || !strings.Contains(got, url) {
		t.Errorf("log: got %q, want one line with the reason and the collector", got)
	}
	c.mu.Lock()
	c.refuses = false
	c.mu.Unlock()
	flush()
	ended(t, r)
	if got := out.String(); !strings.Contains(got, "accepts traces again") || c.spans["ADD"] == nil {
		t.Errorf("log: got %q, spans %v, want the end of it, and a span", got, c.spans)
	}
}

func TestSettings_Check(t *testing.T) {
	for endpoint, valid := range map[string]bool{"": true, "http://192.0.2.9:4317": true, "https://collector.example:4317/": true, "192.0.2.9:4317": false,
		"grpc://192.0.2.9:4317": false, "http://": false, "http://a:4317/v1/traces": false, "http://user:pw@a:4317": false} {
		err := (&Settings{endpoint}).Check()
		if (err == nil) != valid || err != nil && !strings.Contains(err.Error(), "--otlp-endpoint") {
			t.Errorf("%q: got %v, want valid %v", endpoint, err, valid)
		}
	}
}

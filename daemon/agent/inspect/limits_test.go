// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/capture"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// asking is an agent whose switch is asked for flows until the test ends it.
type asking struct {
	agent
	began chan struct{}
	end   chan struct{}
}

func (a *asking) Flows(ctx context.Context) ([]bridge.LiveFlow, error) {
	a.began <- struct{}{}
	select {
	case <-a.end:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// idle is an interface without packets, which notes when it is let go.
type idle struct{ closed chan struct{} }

func (i *idle) ReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	<-i.closed
	return nil, gopacket.CaptureInfo{}, io.EOF
}

func (i *idle) Close() error { close(i.closed); return nil }

// Requests from other sites' pages in a browser are refused, expensive requests are bounded, and a panic is counted.
func TestDoor(t *testing.T) {
	a := &asking{began: make(chan struct{}, 10), end: make(chan struct{})}
	h := Handler(Options{Forward: a, Attach: a, Pipeline: pipeline.Default(), Now: time.Now, Bounds: NewBounds(Limits{Traces: 1, Hosts: []string{"h1.example"}}),
		Drift: drift{&a.agent}, Waiting: func() []string { return nil }, Status: func() model.AgentStatus { return model.AgentStatus{Host: "h1"} },
		Malformed: func() []string { panic("a defect") }, Services: a.services})
	ask := func(method, path, host, origin string) *httptest.ResponseRecorder {
		q := httptest.NewRequest(method, path, nil)
		if q.Host = host; origin != "" {
			q.Header.Set("Origin", origin)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, q)
		return w
	}
	for _, row := range []struct {
		name, method, path, host, origin string
		status                           int
	}{
		{"by address", "GET", "/status", "192.0.2.1:9090", "", 200},
		{"by a name of the flag", "GET", "/status", "h1.example:9090", "", 200},
		{"by another name", "GET", "/inspect/ports", "evil.example:9090", "", 403},
		{"health by another name", "GET", "/healthz", "lb.example", "", 200},
		{"a page repairs", "POST", "/inspect/drift", "192.0.2.1:9090", "http://evil.example", 403},
		{"a page cuts off", "DELETE", "/debug/reclaimEndpoint/t:n:c1", "192.0.2.1:9090", "null", 403},
		{"a defect", "GET", "/inspect/malformed", "192.0.2.1:9090", "", 500},
	} {
		if w := ask(row.method, row.path, row.host, row.origin); w.Code != row.status {
			t.Errorf("%s: want %d, got %d %s", row.name, row.status, w.Code, w.Body)
		}
	}
	if a.reclaimed != "" {
		t.Errorf("endpoint %s is cut off", a.reclaimed)
	}
	done := make(chan int)
	go func() { done <- ask("GET", "/inspect/flows", "", "").Code }()
	<-a.began
	if w := ask("GET", "/inspect/flows", "", ""); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "--max-traces") || w.Header().Get("Retry-After") == "" {
		t.Errorf("a second look at the switch: want 503 and the flag, got %d %s", w.Code, w.Body)
	}
	close(a.end)
	if got := <-done; got != 200 {
		t.Errorf("the first look: got %d", got)
	}
}

// A capture that no one reads any more lets its interface go and makes room.
func TestCaptureIsLetGo(t *testing.T) {
	a := &agent{}
	src := &idle{closed: make(chan struct{})}
	opened := make(chan struct{})
	h := Handler(Options{Forward: a, Attach: a, Pipeline: pipeline.Default(), Now: time.Now, Bounds: NewBounds(Limits{Captures: 1}), Drift: drift{a}, Called: func(string) string { return "" }, Driver: func() Driver { return Driver{} },
		Waiting: func() []string { return nil }, Status: func() model.AgentStatus { return model.AgentStatus{Host: "h1"} },
		Packets: func(string) (capture.Source, error) { close(opened); return src, nil }})
	s := httptest.NewServer(h)
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/inspect/capture?endpoint=t:n:c1", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("a capture: %v, %v", answer, err)
	}
	<-opened
	second, err := http.Get(s.URL + "/inspect/capture?endpoint=t:n:c1")
	if err != nil || second.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a second one: want 503, got %v, %v", second, err)
	}
	_ = second.Body.Close()
	cancel()
	_ = answer.Body.Close()
	<-src.closed
}

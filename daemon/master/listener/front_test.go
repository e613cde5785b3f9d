// SPDX-License-Identifier: Apache-2.0

package listener

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/task"
)

// get returns the status and the body of an answer.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, strings.TrimSpace(string(text))
}

// free returns a TCP address of this machine that no process uses.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// A Front answers what netmaster waits for, before it has handlers and after it has lost them.
func TestFront(t *testing.T) {
	address, log := free(t), slog.New(slog.DiscardHandler)
	f := New(Settings{External: address, Internal: address}, nil, log)
	tasks, err := f.Listen()
	if err != nil || len(tasks) != 1 || len(f.Connections()) != 1 {
		t.Fatalf("one address for all: want one listener, got %v, %d, %v", tasks, len(f.Connections()), err)
	}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- task.Run(ctx, log, tasks...) }()
	check := func(path string, status int, text string) {
		t.Helper()
		if gotStatus, got := get(t, "http://"+address+path); gotStatus != status || got != text {
			t.Errorf("%s: want %d %q, got %d %q", path, status, text, gotStatus, got)
		}
	}
	check("/readyz", http.StatusServiceUnavailable, "netmaster waits for its start")
	check("/healthz", http.StatusOK, "ok")
	f.SetWaiting("the store")
	check("/readyz", http.StatusServiceUnavailable, "netmaster waits for the store")
	teapot := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	f.SetHandlers(teapot, http.NotFoundHandler())
	check("/healthz", http.StatusTeapot, "")
	f.SetWaiting("the store")
	check("/readyz", http.StatusServiceUnavailable, "netmaster waits for the store")
	if _, err := New(Settings{External: address, Internal: address}, nil, log).Listen(); err == nil || !strings.Contains(err.Error(), "is another netmaster running?") {
		t.Errorf("a port in use: want an error with a hint, got %v", err)
	}
	end()
	if err := <-done; err != nil {
		t.Errorf("the end of the context is no error, got %v", err)
	}
}

// A listener whose address the machine does not have waits, and ends with its context.
func TestAddressMissing(t *testing.T) {
	f := New(Settings{External: "192.0.2.84:9999", Internal: "192.0.2.84:9999"}, nil, slog.New(slog.DiscardHandler))
	tasks, err := f.Listen()
	if err != nil || len(tasks) != 1 {
		t.Fatalf("want a task, got %v, %v", tasks, err)
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	if err := tasks[0].Run(ctx); err != nil {
		t.Errorf("the end of the context is no error, got %v", err)
	}
	select {
	case <-tasks[0].Ready():
		t.Error("the listener is ready without its address")
	default:
	}
}

func TestAddresses(t *testing.T) {
	for _, row := range []struct{ external, internal, want string }{
		{"0.0.0.0:9999", "192.0.2.1:9999", "0.0.0.0:9999"},
		{"192.0.2.1:9999", "192.0.2.1:9999", "192.0.2.1:9999"},
		{"0.0.0.0:9999", "192.0.2.1:9998", "0.0.0.0:9999 192.0.2.1:9998"},
		{"192.0.2.2:9999", "192.0.2.1:9999", "192.0.2.2:9999 192.0.2.1:9999"},
	} {
		s := Settings{External: row.external, Internal: row.internal}
		if got := strings.Join(s.addresses(), " "); got != row.want {
			t.Errorf("%s and %s: want %s, got %s", row.external, row.internal, row.want, got)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(s *Settings)
		want   string // in the error; "": there is none
	}{
		{"as by default", func(*Settings) {}, ""},
		{"no proxy", func(s *Settings) { s.Proxy = "" }, ""},
		{"external without a port", func(s *Settings) { s.External = "nowhere" }, "--external-address nowhere"},
		{"internal without a port", func(s *Settings) { s.Internal = "192.0.2.1" }, "--internal-address 192.0.2.1"},
		{"proxy with a bad port", func(s *Settings) { s.Proxy = "0.0.0.0:70000" }, "--proxy-address 0.0.0.0:70000"},
		{"no connections", func(s *Settings) { s.Connections = 0 }, "--max-connections 0"},
		{"too many for one client", func(s *Settings) { s.PerClient = httpserver.MaxRequest + 1 }, "--max-connections-per-client"},
	} {
		s := Settings{External: "0.0.0.0:9999", Internal: "192.0.2.1:9999", Proxy: "0.0.0.0:10000", Connections: defaultConnections, PerClient: defaultPerClient}
		row.change(&s)
		if err := s.Check(); (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
	}
}

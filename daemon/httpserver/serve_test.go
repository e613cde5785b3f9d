// SPDX-License-Identifier: Apache-2.0

package httpserver_test

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/contiv/contiv/daemon/httpserver"
)

// A request in progress when the server ends is answered, and nothing more is accepted.
func TestServe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		end()
		w.WriteHeader(http.StatusTeapot)
	})}
	done := make(chan error, 1)
	go func() { done <- httpserver.Serve(ctx, srv, l) }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	resp, err := client.Get("http://door/")
	if err != nil || resp.StatusCode != http.StatusTeapot {
		t.Fatalf("the request in progress: %v, %v", resp, err)
	}
	_ = resp.Body.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("unix", path); err == nil {
		_ = c.Close()
		t.Error("connections are still accepted")
	}
	closed, _ := net.Listen("unix", path)
	_ = closed.Close()
	if err := httpserver.Serve(t.Context(), srv, closed); err == nil {
		t.Error("a listener that fails is no error")
	}
}

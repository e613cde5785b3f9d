// SPDX-License-Identifier: Apache-2.0

package listener

import (
	"log/slog"
	"net/http"
	"testing"
)

// Waiting is what /readyz answers, in one line.
func TestWaiting(t *testing.T) {
	f := New(Settings{}, nil, slog.New(slog.DiscardHandler))
	for _, row := range []struct {
		name string
		set  func()
		want string
	}{
		{"start", func() {}, "its start"},
		{"store", func() { f.SetWaiting("the store") }, "the store"},
		{"two", func() {
			f.SetHandlers(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if q.Method != http.MethodGet || q.URL.Path != "/readyz" || q.RequestURI != "/readyz" {
					t.Errorf("got %s %s, want GET /readyz", q.Method, q.URL.Path)
				}
				w.WriteHeader(http.StatusServiceUnavailable)
				_, _ = w.Write([]byte("waits for a leader\nwaits for Kubernetes\n"))
			}), nil)
		}, "a leader; Kubernetes"},
		{"ready", func() {
			f.SetHandlers(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) }), nil)
		}, ""},
	} {
		row.set()
		if got := f.Waiting(); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

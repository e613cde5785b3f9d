// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/contiv/contiv/daemon/httpserver"
)

// ReadOnly is h for read-only clients, such as every account of the host: it refuses changes, and the packets and connections of
// containers, with a reference to elsewhere, where they are served.
func ReadOnly(h http.Handler, elsewhere string) http.Handler {
	mux := http.NewServeMux()
	refuse := func(w http.ResponseWriter, r *http.Request) {
		text(w, http.StatusForbidden, fmt.Sprintf("%s %s is not served here, where every account of this host can ask: use %s\n", r.Method, r.URL.Path, elsewhere))
	}
	mux.HandleFunc("/", refuse)
	mux.Handle("GET /", h)
	mux.HandleFunc("GET "+capturePath, refuse)
	mux.HandleFunc("GET "+observedPath, refuse)
	return mux
}

// Socket serves a handler at a unix socket for root only. It is a task.
type Socket struct {
	path    string
	handler http.Handler
	log     *slog.Logger
	ready   chan struct{}
}

// NewSocket returns a Socket at path; Run listens.
func NewSocket(path string, h http.Handler, log *slog.Logger) *Socket {
	return &Socket{path: path, handler: h, log: log, ready: make(chan struct{})}
}

// String names the server for logs.
func (s *Socket) String() string { return "inspection at " + s.path }

// Ready is closed once the socket listens.
func (s *Socket) Ready() <-chan struct{} { return s.ready }

// Run serves until ctx ends.
func (s *Socket) Run(ctx context.Context) error {
	l, err := httpserver.ListenUnix(s.path)
	if err != nil {
		return fmt.Errorf("inspection (check --cni-socket, beside which it is): %w", err)
	}
	srv := httpserver.NewServer(s.handler, httpserver.Ordinary(), s.log)
	defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
	close(s.ready)
	if err := srv.Serve(httpserver.NewConnections(DefaultConnections, 0).Listen(l)); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", s.path, err)
	}
	return nil
}

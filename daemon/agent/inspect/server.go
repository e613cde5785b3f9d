// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"

	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/trust"
)

// Server serves a handler at several addresses. It is a task.
type Server struct {
	addrs   []netip.AddrPort
	handler http.Handler
	holder  *trust.Holder
	bound   *httpserver.Connections
	log     *slog.Logger
	ready   chan struct{}
}

// NewServer returns a Server; Run listens, and waits for addresses that the machine does not have yet. With a holder it serves
// authenticated netmasters and monitors, over TLS; with nil everyone, in plain.
func NewServer(addrs []netip.AddrPort, h http.Handler, holder *trust.Holder, b *Bounds, log *slog.Logger) *Server {
	bound := b.server()
	if holder != nil {
		bound.Silent()
	}
	return &Server{addrs: addrs, handler: h, holder: holder, bound: bound, log: log, ready: make(chan struct{})}
}

// String names the server for logs.
func (s *Server) String() string { return fmt.Sprintf("inspection at %v", s.addrs) }

// Ready is closed once the server listens at all addresses.
func (s *Server) Ready() <-chan struct{} { return s.ready }

// Run serves until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	failed := make(chan error, len(s.addrs))
	for _, a := range s.addrs {
		l, err := httpserver.Await(ctx, a.String(), s.log)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("listen at %s (check --ctrl-ip; is another netplugin running?): %w", a, err)
		}
		srv := httpserver.NewServer(s.handler, httpserver.Ordinary(), s.log)
		defer func() { _ = srv.Close() }()
		go func() {
			failed <- httpserver.ServeSecured(srv, s.bound.Listen(l), s.holder, trust.Master, trust.Monitor)
		}()
	}
	close(s.ready)
	select {
	case err := <-failed:
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return err
	case <-ctx.Done():
		return nil
	}
}

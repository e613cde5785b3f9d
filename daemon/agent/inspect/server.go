package inspect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"

	"github.com/contiv/contiv/daemon/door"
)

// Server serves a handler at several addresses. It is a task.
type Server struct {
	addrs   []netip.AddrPort
	handler http.Handler
	bound   *door.Connections
	log     *slog.Logger
	ready   chan struct{}
}

// NewServer returns a Server; Run listens.
func NewServer(addrs []netip.AddrPort, h http.Handler, l Limits, log *slog.Logger) *Server {
	return &Server{addrs: addrs, handler: h, bound: l.bound(), log: log, ready: make(chan struct{})}
}

// String names the server for logs.
func (s *Server) String() string { return fmt.Sprintf("inspection at %v", s.addrs) }

// Ready is closed once all addresses are listened to.
func (s *Server) Ready() <-chan struct{} { return s.ready }

// Run serves until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	srv := door.NewServer(s.handler, door.Ordinary(), s.log)
	defer func() { _ = srv.Close() }()
	failed := make(chan error, len(s.addrs))
	for _, a := range s.addrs {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", a.String())
		if err != nil {
			return fmt.Errorf("listen at %s (check --ctrl-ip; is another netplugin running?): %w", a, err)
		}
		go func() { failed <- srv.Serve(s.bound.Listen(l)) }()
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

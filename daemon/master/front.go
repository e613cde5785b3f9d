package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/master/server/proxy"
	"github.com/contiv/contiv/daemon/task"
)

// front answers from the first moment: before the server is there, it says what netmaster waits for.
type front struct {
	api, proxy *switched
	doors      []*httpserver.Connections // of the listeners
}

func newFront() *front { return &front{api: &switched{}, proxy: &switched{}} }

// serves has the front serve what s does.
func (f *front) serves(s *server.Server) {
	f.api.set(s)
	f.proxy.set(proxy.New(s, s.Strangers()))
}

// waits has the front say what netmaster waits for.
func (f *front) waits(what string) {
	h := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/healthz" {
			_, _ = w.Write([]byte("ok\n"))
			return
		}
		http.Error(w, "netmaster waits for "+what, http.StatusServiceUnavailable)
	})
	f.api.set(h)
	f.proxy.set(h)
}

// listen opens the addresses at once, so that a taken port is an error of the start, and makes a task of each. The task of an address that the machine
// does not have yet waits for it. Each has its own
// bound of connections: users who take all of theirs leave the agents theirs, where the internal address is another.
func (f *front) listen(c config, log *slog.Logger) (tasks []task.Task, err error) {
	add := func(address string, h http.Handler) error {
		l, err := net.Listen("tcp", address)
		if err != nil && !errors.Is(err, syscall.EADDRNOTAVAIL) {
			return fmt.Errorf("listen on %s: %w; is another netmaster running?", address, err)
		}
		bound := httpserver.NewConnections(c.Connections, c.PerClient)
		if c.holder != nil {
			bound.Silent()
		}
		f.doors = append(f.doors, bound)
		tasks = append(tasks, task.Func("listener "+address, func(ctx context.Context, ready func()) error {
			if l == nil {
				if l, err = httpserver.Await(ctx, address, log); err != nil {
					return ended(ctx, fmt.Errorf("listen on %s: %w", address, err))
				}
			}
			ready()
			return serveUntil(ctx, h, log, func(h *http.Server) error { return httpserver.ServeSecured(h, bound.Listen(l), c.holder) })
		}))
		return nil
	}
	for _, address := range c.addresses() {
		if err := add(address, f.api); err != nil {
			return nil, err
		}
	}
	if c.Proxy != "" && c.holder != nil { // its clients speak TLS alone
		if err := add(c.Proxy, f.proxy); err != nil {
			return nil, fmt.Errorf("--proxy-address: %w", err)
		}
	}
	return tasks, nil
}

// serveUntil runs serve with an HTTP server for h until ctx ends, and then lets requests finish for a moment.
func serveUntil(ctx context.Context, handler http.Handler, log *slog.Logger, serve func(*http.Server) error) error {
	h := httpserver.NewServer(handler, httpserver.Ordinary(), log)
	h.Protocols = channel.Protocols()
	stop := context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 200*time.Millisecond)
		defer cancel()
		if h.Shutdown(grace) != nil {
			_ = h.Close()
		}
	})
	defer stop()
	if err := serve(h); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ended is an error, unless it comes of the end of ctx.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// switched is a handler that another one takes the place of.
type switched struct{ atomic.Pointer[http.Handler] }

func (s *switched) set(h http.Handler) { s.Store(&h) }

// ServeHTTP passes the request on.
func (s *switched) ServeHTTP(w http.ResponseWriter, q *http.Request) { (*s.Load()).ServeHTTP(w, q) }

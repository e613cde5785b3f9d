// SPDX-License-Identifier: Apache-2.0

package listener

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
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/trust"
)

// Front serves a netmaster's handlers at its addresses. While there are none, it answers /healthz, and every other request with 503 and what netmaster
// waits for. SetHandlers and SetWaiting are safe for concurrent use, also with requests.
type Front struct {
	settings    Settings
	trust       *trust.Holder
	log         *slog.Logger
	api, proxy  replaceable
	connections []*httpserver.Connections
	refusals    Refusals
}

// New returns a Front that waits. It serves TLS with the certificates of holder, or plain HTTP if holder is nil.
func New(s Settings, holder *trust.Holder, log *slog.Logger) *Front {
	f := &Front{settings: s, trust: holder, log: log}
	f.SetWaiting("its start")
	return f
}

// SetHandlers sets the handler of the external and internal addresses, and that of the proxy's.
func (f *Front) SetHandlers(api, proxy http.Handler) {
	f.api.set(api)
	f.proxy.set(proxy)
}

// SetWaiting removes the handlers, and sets what netmaster waits for, such as "the store".
func (f *Front) SetWaiting(what string) {
	h := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/healthz" {
			_, _ = w.Write([]byte("ok\n"))
			return
		}
		http.Error(w, "netmaster waits for "+what, http.StatusServiceUnavailable)
	})
	f.SetHandlers(h, h)
}

// Listen opens the addresses, and returns a task for each that serves it. A port that another process uses is an error. An address that the machine does
// not have yet is none: its task waits for the address. Each listener has its own limit of connections, so that users who exhaust the limit of the
// external address do not affect agents at the internal one.
func (f *Front) Listen() (tasks []task.Task, err error) {
	for _, address := range f.settings.addresses() {
		t, err := f.listen(address, &f.api)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
	}
	if f.settings.Proxy == "" || f.trust == nil { // clients of the proxy use only TLS
		return tasks, nil
	}
	t, err := f.listen(f.settings.Proxy, &f.proxy)
	if err != nil {
		return nil, fmt.Errorf("--proxy-address: %w", err)
	}
	return append(tasks, t), nil
}

// Connections returns the connections of all listeners. It is called after Listen.
func (f *Front) Connections() []*httpserver.Connections { return f.connections }

// Refusals returns the clients that were refused for their certificates.
func (f *Front) Refusals() *Refusals { return &f.refusals }

// Limit changes the limits of connections. It is called after Listen.
func (f *Front) Limit(s Settings) {
	for _, c := range f.connections {
		c.SetMax(s.Connections, s.PerClient)
	}
}

// listen opens one address, if the machine has it, and returns its task.
func (f *Front) listen(address string, h http.Handler) (task.Task, error) {
	opened, err := net.Listen("tcp", address)
	if err != nil && !errors.Is(err, syscall.EADDRNOTAVAIL) {
		return nil, fmt.Errorf("listen on %s: %w; is another netmaster running?", address, err)
	}
	limit := httpserver.NewConnections(f.settings.Connections, f.settings.PerClient)
	if f.trust != nil {
		limit.Silent()
	}
	f.connections = append(f.connections, limit)
	return task.Func("listener "+address, func(ctx context.Context, ready func()) error {
		l := opened
		if l == nil {
			var err error
			if l, err = httpserver.Await(ctx, address, f.log); err != nil {
				if ctx.Err() != nil {
					return nil
				}
				return fmt.Errorf("listen on %s: %w", address, err)
			}
		}
		ready()
		return f.serve(ctx, limit.Listen(l), h)
	}), nil
}

// shutdownTimeout is how long requests may take to finish after the end of a listener.
const shutdownTimeout = 200 * time.Millisecond

// serve serves a handler until ctx ends, and then waits at most shutdownTimeout for requests to finish.
func (f *Front) serve(ctx context.Context, l net.Listener, handler http.Handler) error {
	h := httpserver.NewServer(handler, httpserver.Ordinary(), f.log)
	h.Protocols = channel.Protocols()
	if f.trust != nil {
		h.ConnState = f.refusals.watch(f.trust)
	}
	defer context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
		defer cancel()
		if h.Shutdown(grace) != nil {
			_ = h.Close()
		}
	})()
	if err := httpserver.ServeSecured(h, l, f.trust); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// replaceable is a handler that another one may replace at any time.
type replaceable struct{ atomic.Pointer[http.Handler] }

func (r *replaceable) set(h http.Handler) { r.Store(&h) }

// ServeHTTP forwards the request to the current handler.
func (r *replaceable) ServeHTTP(w http.ResponseWriter, q *http.Request) { (*r.Load()).ServeHTTP(w, q) }

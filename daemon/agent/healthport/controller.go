// SPDX-License-Identifier: Apache-2.0

// Package healthport reports to external load balancers which services have backends on this host: each such service has a port of every
// host (healthCheckNodePort) that serves the answer over HTTP.
package healthport

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/agent/kubeservice"
	"github.com/contiv/contiv/daemon/httpserver"
)

// pause is the time between two attempts to open a port that is in use.
const pause = time.Second

// maxConnections bounds the connections of one port.
const maxConnections = 256

// Controller opens and closes the health ports.
type Controller struct {
	Healths func() []kubeservice.Health // the current answers
	Changed func() <-chan struct{}      // closed when they may have changed
	Healthy func() bool                 // reports whether the host forwards for services
	Log     *slog.Logger

	open map[uint16]*port
}

// port is an open port.
type port struct {
	server *http.Server
	mu     sync.Mutex
	health kubeservice.Health
}

// Run works until ctx ends; then it returns nil, and all ports are closed.
func (k *Controller) Run(ctx context.Context) error {
	k.open = map[uint16]*port{}
	defer k.keep(ctx, nil)
	problem := ""
	for {
		next := k.Changed()
		var again <-chan time.Time
		if err := k.keep(ctx, k.Healths()); err != nil {
			again = time.After(pause)
			if text := err.Error(); text != problem {
				problem = text
				k.Log.Warn("cannot serve a health port; retrying", "retry", pause, "error", err)
			}
		} else {
			problem = ""
		}
		select {
		case <-ctx.Done():
			return nil
		case <-next:
		case <-again:
		}
	}
}

// keep closes the ports that are no longer expected, and opens missing ones. It returns the first error, and completes the rest.
func (k *Controller) keep(ctx context.Context, want []kubeservice.Health) (failed error) {
	wanted := make(map[uint16]kubeservice.Health, len(want))
	for _, h := range want {
		wanted[h.Port] = h
	}
	for number, p := range k.open {
		if _, still := wanted[number]; !still {
			_ = p.server.Close() // there is no client left
			delete(k.open, number)
		}
	}
	for number, h := range wanted {
		p := k.open[number]
		if p == nil {
			l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("", strconv.Itoa(int(number))))
			if err != nil {
				failed = err
				continue
			}
			p = &port{}
			p.server = httpserver.NewServer(k.answer(p), httpserver.Ordinary(), k.Log)
			k.open[number] = p
			// it ends only with Close
			go func() { _ = p.server.Serve(httpserver.NewConnections(maxConnections, maxConnections).Listen(l)) }()
		}
		p.mu.Lock()
		p.health = h
		p.mu.Unlock()
	}
	return failed
}

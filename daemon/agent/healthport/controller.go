// Package healthport tells load balancers outside which services this host has backends of: each such service has a port of every host
// (healthCheckNodePort), at which HTTP says so.
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

// pause is how long it takes until a port that somebody has is tried again.
const pause = time.Second

// maxConnections bounds the connections of one port.
const maxConnections = 256

// Controller keeps the ports open that are to be.
type Controller struct {
	Healths func() []kubeservice.Health // what is to be said now
	Changed func() <-chan struct{}      // closed when that may have changed
	Healthy func() bool                 // whether the host carries services out
	Log     *slog.Logger

	open map[uint16]*port
}

// port is one that is open.
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
				k.Log.Warn("a service's health is not told; it is tried again", "retry", pause, "error", err)
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

// keep closes the ports that are not to be any more, and opens those that are to be. The first error is returned, and the rest is done.
func (k *Controller) keep(ctx context.Context, want []kubeservice.Health) (failed error) {
	wanted := make(map[uint16]kubeservice.Health, len(want))
	for _, h := range want {
		wanted[h.Port] = h
	}
	for number, p := range k.open {
		if _, still := wanted[number]; !still {
			_ = p.server.Close() // no client is left to be told
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
			// it ends with Close alone
			go func() { _ = p.server.Serve(httpserver.NewConnections(maxConnections, maxConnections).Listen(l)) }()
		}
		p.mu.Lock()
		p.health = h
		p.mu.Unlock()
	}
	return failed
}

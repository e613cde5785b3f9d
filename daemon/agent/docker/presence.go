// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"
)

// presence records since when there has been no agent at a socket, even without requests.
type presence struct {
	socket string
	log    *slog.Logger
	pause  time.Duration // between two checks

	mu   sync.Mutex
	gone time.Time // zero while an agent is there
}

// newPresence counts an agent as gone since now: it is about to start.
func newPresence(socket string, log *slog.Logger) *presence {
	return &presence{socket: socket, log: log, pause: 100 * time.Millisecond, gone: time.Now()}
}

// away returns how long there has been no agent, 0 while there is one.
func (p *presence) away() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone.IsZero() {
		return 0
	}
	return time.Since(p.gone)
}

// watch holds a connection, which the agent ends, until ctx ends. It calls there when the agent is present, and regularly afterwards.
func (p *presence) watch(ctx context.Context, there func(context.Context)) {
	for ctx.Err() == nil {
		nc, err := new(net.Dialer).DialContext(ctx, "unix", p.socket)
		p.record(err)
		if err == nil {
			there(ctx)
			hold(ctx, nc)
		}
		select {
		case <-ctx.Done():
		case <-time.After(p.pause):
		}
	}
}

// hold blocks until the other end closes the connection. A connection with a request is idle: an agent that ends closes it first, and a
// working one closes it after a while.
func hold(ctx context.Context, nc net.Conn) {
	stop := context.AfterFunc(ctx, func() { _ = nc.Close() })
	defer func() { stop(); _ = nc.Close() }()
	if _, err := io.WriteString(nc, "HEAD / HTTP/1.1\r\nHost: agent\r\n\r\n"); err == nil {
		_, _ = io.Copy(io.Discard, nc) // any end counts
	}
}

// record records the result of an attempt to connect.
func (p *presence) record(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err == nil && !p.gone.IsZero():
		p.log.Info("the agent is reachable", "socket", p.socket)
		p.gone = time.Time{}
	case err != nil && p.gone.IsZero():
		p.log.Warn("the agent is unreachable: refusing requests of Docker until it is back", "socket", p.socket, "error", err)
		p.gone = time.Now()
	}
}

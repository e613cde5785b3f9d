package docker

import (
	"context"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"
)

// presence knows since when there has been no agent at a socket, whether it is asked something or not.
type presence struct {
	socket string
	log    *slog.Logger
	pause  time.Duration // between two looks

	mu   sync.Mutex
	gone time.Time // zero while an agent is there
}

// newPresence counts an agent as gone just now: it is about to start.
func newPresence(socket string, log *slog.Logger) *presence {
	return &presence{socket: socket, log: log, pause: 100 * time.Millisecond, gone: time.Now()}
}

// away is for how long there has been no agent, 0 while there is one.
func (p *presence) away() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone.IsZero() {
		return 0
	}
	return time.Since(p.gone)
}

// watch holds a connection to the agent, whose end is the agent's, until ctx ends. There is called when it is there, and at times after that.
func (p *presence) watch(ctx context.Context, there func(context.Context)) {
	for ctx.Err() == nil {
		nc, err := new(net.Dialer).DialContext(ctx, "unix", p.socket)
		p.note(err)
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

// hold blocks until the other end closes the connection. One on which something was asked is idle: an agent that ends closes it first, and one
// that works closes it after a while.
func hold(ctx context.Context, nc net.Conn) {
	stop := context.AfterFunc(ctx, func() { _ = nc.Close() })
	defer func() { stop(); _ = nc.Close() }()
	if _, err := io.WriteString(nc, "HEAD / HTTP/1.1\r\nHost: agent\r\n\r\n"); err == nil {
		_, _ = io.Copy(io.Discard, nc) // whatever ends it
	}
}

// note takes in how an attempt to connect ended.
func (p *presence) note(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err == nil && !p.gone.IsZero():
		p.log.Info("the agent is there", "socket", p.socket)
		p.gone = time.Time{}
	case err != nil && p.gone.IsZero():
		p.log.Warn("the agent is away: what Docker asks of it is refused until it is back", "socket", p.socket, "error", err)
		p.gone = time.Now()
	}
}

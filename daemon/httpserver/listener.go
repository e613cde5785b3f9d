// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Connections limits the open connections of a listener, in total and per client. An excess connection gets an error and is closed. Its
// methods are safe for concurrent use.
type Connections struct {
	refused   atomic.Uint64
	farewells chan struct{} // a slot for each that is sent
	silent    bool

	mu        sync.Mutex
	max, each int
	all       int
	by        map[string]int
}

// The flags that limit connections, for messages.
const (
	MaxConnections          = "max-connections"
	MaxConnectionsPerClient = "max-connections-per-client"
)

const (
	maxFarewells = 64              // connections that are sent an error at the same time; others are closed at once
	farewell     = 1 * time.Second // for one of them to read it
)

// NewConnections returns a limit of connections; 0 means no limit.
func NewConnections(most, each int) *Connections {
	return &Connections{max: most, each: each, farewells: make(chan struct{}, maxFarewells), by: map[string]int{}}
}

// SetMax changes the limits; 0 means no limit. Open connections above them stay open.
func (c *Connections) SetMax(n, each int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.max, c.each = n, each
}

// Max returns the limits.
func (c *Connections) Max() (total, each int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.max, c.each
}

// Silent makes connections above the limit close without an error: a TLS client would not understand it.
func (c *Connections) Silent() { c.silent = true }

// Open returns the number of open connections.
func (c *Connections) Open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}

// Refused returns the number of refused connections.
func (c *Connections) Refused() uint64 { return c.refused.Load() }

// Listen wraps l with the limit.
func (c *Connections) Listen(l net.Listener) net.Listener { return &listener{l, c} }

type listener struct {
	net.Listener
	bound *Connections
}

// Accept waits for a connection within the limit.
func (l *listener) Accept() (net.Conn, error) {
	for {
		nc, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		client := Client(nc.RemoteAddr().String())
		why := l.bound.enter(client)
		if why == "" {
			return &conn{Conn: nc, leave: sync.OnceFunc(func() { l.bound.leave(client) })}, nil
		}
		l.bound.turnAway(nc, why)
	}
}

// enter counts a connection. If it is above the limit, enter returns the reason instead.
func (c *Connections) enter(client string) (why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.max > 0 && c.all >= c.max:
		return fmt.Sprintf("%d connections are open, the maximum of --%s", c.all, MaxConnections)
	case c.each > 0 && c.by[client] >= c.each:
		return fmt.Sprintf("%d connections of %s are open, the maximum of --%s", c.by[client], client, MaxConnectionsPerClient)
	}
	c.all++
	c.by[client]++
	return ""
}

func (c *Connections) leave(client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.by[client]--; c.by[client] == 0 {
		delete(c.by, client)
	}
}

// turnAway sends an error on a connection and closes it, without waiting.
func (c *Connections) turnAway(nc net.Conn, why string) {
	c.refused.Add(1)
	if c.silent {
		_ = nc.Close()
		return
	}
	select {
	case c.farewells <- struct{}{}:
	default:
		_ = nc.Close()
		return
	}
	go func() {
		defer func() { <-c.farewells }()
		defer func() { _ = nc.Close() }()
		why += "; close some, or raise it\n"
		_ = nc.SetDeadline(time.Now().Add(farewell))
		if _, err := fmt.Fprintf(nc, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
			len(why), why); err != nil {
			return
		}
		if half, ok := nc.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(nc, MaxHeader)) // closing a connection with unread data would discard the answer
	}()
}

// conn is a connection that is counted until it is closed.
type conn struct {
	net.Conn
	leave func()
}

// Close closes the connection.
func (c *conn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// CloseWrite closes the sending direction; net/http does that before it closes a connection with unread data.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/contiv/contiv/daemon/channel"
)

// wire is the network of some agents: it counts what comes by it, and can be cut.
type wire struct {
	came atomic.Int64 // bytes

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]struct{}
}

func newWire() *wire { return &wire{conns: map[net.Conn]struct{}{}} }

var errCut = errors.New("the wire is cut")

// client is what an agent at the wire reaches netmasters by.
func (w *wire) client() *http.Client {
	c := channel.NewHTTP(nil)
	transport := c.Transport.(*http.Transport)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		w.mu.Lock()
		cut := w.cut
		w.mu.Unlock()
		if cut {
			return nil, errCut
		}
		nc, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		t := &tapped{Conn: nc, of: w}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.conns[t] = struct{}{}
		return t, nil
	}
	return c
}

// set cuts the wire, or mends it.
func (w *wire) set(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
	if cut {
		for c := range w.conns {
			go c.Close() // which takes it out
		}
	}
}

// tapped is a connection by a wire.
type tapped struct {
	net.Conn
	of *wire
}

func (t *tapped) Read(b []byte) (int, error) {
	n, err := t.Conn.Read(b)
	t.of.came.Add(int64(n))
	return n, err
}

func (t *tapped) Close() error {
	t.of.mu.Lock()
	delete(t.of.conns, t)
	t.of.mu.Unlock()
	return t.Conn.Close()
}

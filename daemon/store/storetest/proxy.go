// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Proxy forwards TCP connections to a server and can be cut, like a network.
type Proxy struct {
	target   string
	address  string
	mu       sync.Mutex
	listener net.Listener
	conns    map[net.Conn]struct{}
	work     sync.WaitGroup
}

// NewProxy listens on loopback for connections to target ("host:port"). It ends with the test.
func NewProxy(tb testing.TB, target string) *Proxy {
	p := &Proxy{target: target, address: "127.0.0.1:0", conns: map[net.Conn]struct{}{}}
	p.Mend(tb)
	tb.Cleanup(func() { p.Cut(); p.work.Wait() })
	return p
}

// Address returns the proxy's address, the same after Cut and Mend.
func (p *Proxy) Address() string { return p.address }

// Cut breaks every connection and refuses new ones. Cutting twice is harmless.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
	for c := range p.conns {
		_ = c.Close()
	}
	clear(p.conns)
}

// Mend accepts connections again. Mending twice is harmless.
func (p *Proxy) Mend(tb testing.TB) {
	tb.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		return
	}
	l, err := net.Listen("tcp", p.address)
	if err != nil {
		tb.Fatalf("proxy: %v", err)
	}
	p.listener, p.address = l, l.Addr().String()
	p.work.Go(func() { p.serve(l) })
}

func (p *Proxy) serve(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		if p.listener != l {
			_, _ = client.Close(), server.Close()
			p.mu.Unlock()
			return
		}
		p.conns[client], p.conns[server] = struct{}{}, struct{}{}
		p.mu.Unlock()
		p.work.Go(func() { pass(client, server) })
		p.work.Go(func() { pass(server, client) })
	}
}

func pass(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_, _ = to.Close(), from.Close()
}

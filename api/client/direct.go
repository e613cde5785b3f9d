package client

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"time"
)

// Direct sends each request of http:// over a connection of its own and from the caller's goroutine, which takes a program
// that asks once much less time than http.Transport's pool. Requests of https, and those that a proxy is to have, go to
// Else.
type Direct struct {
	Else http.RoundTripper
	// Dial connects, as net.Dialer.DialContext does.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Proxied tells whether a request is a proxy's.
	Proxied func(*http.Request) bool
}

var _ http.RoundTripper = (*Direct)(nil)

// RoundTrip sends a request and returns its answer, whose body the caller closes. It blocks until the answer's header has
// come or the request's context ends; the context's end breaks the body off too.
func (d *Direct) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.URL.Scheme != "http" || d.Proxied(q) {
		return d.Else.RoundTrip(q)
	}
	if q.Body != nil {
		defer func() { _ = q.Body.Close() }()
	}
	ctx := q.Context()
	address := q.URL.Host
	if q.URL.Port() == "" {
		address = net.JoinHostPort(q.URL.Hostname(), "80")
	}
	conn, err := d.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	forget := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	answer, err := exchange(conn, q)
	if err != nil {
		forget()
		_ = conn.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	answer.Body = &directBody{answer.Body, conn, ctx, forget}
	return answer, nil
}

// exchange writes a request (RFC 9112) that asks for the connection's end, and reads the head of the answer.
func exchange(conn net.Conn, q *http.Request) (*http.Response, error) {
	last := *q
	last.Close = true
	if err := last.Write(conn); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(conn, 16<<10)
	for {
		answer, err := http.ReadResponse(in, q)
		if err != nil || answer.StatusCode >= 200 || answer.StatusCode == http.StatusSwitchingProtocols {
			return answer, err
		}
	}
}

// directBody is an answer's body that ends with its connection.
type directBody struct {
	io.ReadCloser
	conn   net.Conn
	ctx    context.Context
	forget func() bool
}

// Read reads the body; when the request's context has ended it says so.
func (b *directBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF && b.ctx.Err() != nil {
		err = b.ctx.Err()
	}
	return n, err
}

// Close closes the connection, whatever of the body is left.
func (b *directBody) Close() error {
	b.forget()
	return b.conn.Close()
}

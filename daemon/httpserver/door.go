// SPDX-License-Identifier: Apache-2.0

// Package httpserver has the common parts of the daemons' HTTP servers: timeouts, limits of connections and requests per client,
// and protection against requests that pages of other sites make a browser send.
package httpserver

import (
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Times are the timeouts of a client's requests. Answers have their own: see Whole and Stream.
type Times struct {
	Header time.Duration // to send a request's header
	Body   time.Duration // to send a request, header and body
	Idle   time.Duration // between two requests of a connection
}

// Ordinary returns the timeouts of the daemons' servers.
func Ordinary() Times {
	return Times{Header: 10 * time.Second, Body: 30 * time.Second, Idle: 2 * time.Minute}
}

// MaxRequest is the maximum value of a flag for a limit.
const MaxRequest = 1 << 20

// MaxHeader is the maximum size of a request's line and header together, in bytes. net/http allows 4 KiB more.
const MaxHeader = 64 << 10

// The flow-control windows of an HTTP/2 connection, and of one request in it: bytes that a server accepts before a handler has read
// them (RFC 9113, section 5.2).
const (
	unreadOfConnection = 128 << 10
	unreadOfRequest    = 128 << 10
)

// NewServer returns a server with timeouts for its clients. It logs the messages of net/http about connections to log.
func NewServer(h http.Handler, t Times, log *slog.Logger) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: t.Header, ReadTimeout: t.Body, IdleTimeout: t.Idle, MaxHeaderBytes: MaxHeader,
		HTTP2:    &http.HTTP2Config{MaxReceiveBufferPerConnection: unreadOfConnection, MaxReceiveBufferPerStream: unreadOfRequest},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
}

// Client returns the client that a request or a connection from an address with a port counts for; see Site.
func Client(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	return Site(host)
}

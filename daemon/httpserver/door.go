// Package httpserver is what every HTTP server of a daemon has in common: how long a client may take, how much it may have open at
// once, and whether a request may come from a browser's page of someone else.
package httpserver

import (
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Times are how long a client may take. Answers have times of their own: see Whole and Stream.
type Times struct {
	Header time.Duration // to send a request's header
	Body   time.Duration // to send a request, header and body
	Idle   time.Duration // between two requests of a connection
}

// Ordinary are the times of the daemons' servers.
func Ordinary() Times {
	return Times{Header: 10 * time.Second, Body: 30 * time.Second, Idle: 2 * time.Minute}
}

// MaxRequest is the highest bound that a flag takes.
const MaxRequest = 1 << 20

// MaxHeader bounds a request's line and header together, in bytes. net/http grants 4 KiB more.
const MaxHeader = 64 << 10

// Bytes of a connection of HTTP/2, and of one request there, that a server takes before a handler has read them (RFC 9113, section 5.2).
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

// Client is the client that a request or a connection from an address with its port counts for; see Site.
func Client(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	return Site(host)
}

// Package door is what every HTTP server of a daemon has in common: how long a client may take, how much it may have open at
// once, and whether a request may come from a browser's page of someone else.
package door

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
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

// Most is the highest bound that a flag takes.
const Most = 1 << 20

// MaxHeader bounds a request's line and header together, in bytes. net/http grants 4 KiB more.
const MaxHeader = 64 << 10

// NewServer makes a server that gives its clients the times. What net/http has to say of connections goes to log.
func NewServer(h http.Handler, t Times, log *slog.Logger) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: t.Header, ReadTimeout: t.Body, IdleTimeout: t.Idle, MaxHeaderBytes: MaxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
}

// Client is the client that a request or a connection from an address counts for: the address, of IPv6 the network of 64 bits, which is what
// one customer is given. What is no address is itself.
func Client(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	a = a.Unmap().WithZone("")
	if a.Is4() || a.IsLinkLocalUnicast() || a.IsLoopback() {
		return a.String()
	}
	p, err := a.Prefix(64)
	if err != nil {
		return a.String()
	}
	return p.String()
}

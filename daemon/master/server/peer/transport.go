// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/trust"
)

// Transport sends requests to agents and other netmasters. The caller names the daemon and Transport verifies it: a daemon registers its own address, which
// must not divert requests for another one.
type Transport struct {
	HTTP   *http.Client // to netmasters; nil: http.DefaultClient
	Agents *http.Client // to agents; nil: HTTP
	Scheme string       // "": http
}

// dialTimeout is how long a daemon may take to accept a connection.
const dialTimeout = 2 * time.Second

// NewTransport returns the Transport of a netmaster: by TLS, with which a netmaster proves its role and an agent that it is that of the host with the address,
// or by plain HTTP if holder is nil. It follows no redirection.
func NewTransport(holder *trust.Holder, known *catalog.Catalog) Transport {
	w := Transport{HTTP: direct(holder, trust.Master, nil), Agents: direct(holder, trust.Agent, known), Scheme: "http"}
	if holder != nil {
		w.Scheme = "https"
	}
	return w
}

// direct is a client of daemons of a role, with connections of its own: one that was made to a netmaster does not serve for an agent.
func direct(holder *trust.Holder, role trust.Role, known *catalog.Catalog) *http.Client {
	dialer := &net.Dialer{Timeout: dialTimeout, Control: unacknowledged}
	t := &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, DialContext: dialer.DialContext, TLSHandshakeTimeout: dialTimeout}
	if holder != nil {
		t.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			name := ""
			if role == trust.Agent {
				if name = agentAt(known, address); name == "" {
					return nil, fmt.Errorf("no host is registered at %s", address)
				}
			}
			return holder.Dialer(dialer.DialContext, holder.Client(role, name))(ctx, network, address)
		}
		return &http.Client{Transport: holder.Explain(t), CheckRedirect: stay}
	}
	return &http.Client{Transport: t, CheckRedirect: stay}
}

// silenceTimeout is for how long a daemon may acknowledge nothing of what it is sent. It is no limit of how long it thinks.
const silenceTimeout = 3 * time.Second

// unacknowledged has the kernel end a connection on which what was sent is not acknowledged: packets that are lost one way would otherwise be sent again
// for many minutes (tcp(7), TCP_USER_TIMEOUT).
func unacknowledged(_, _ string, c syscall.RawConn) error {
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silenceTimeout.Milliseconds()))
	})
	return errors.Join(err, failed)
}

// stay follows no redirection.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Untrusted reports whether an error is that one end of a connection does not accept the certificate of the other.
func Untrusted(err error) bool {
	if err == nil {
		return false
	}
	for _, of := range []string{"tls: ", "x509: ", "certificate"} {
		if strings.Contains(err.Error(), of) {
			return true
		}
	}
	return false
}

// agentAt is the label of the host whose agent has an address "host:port", "" for none.
func agentAt(known *catalog.Catalog, address string) (label string) {
	known.View(func(v *catalog.View) {
		for _, h := range v.Hosts() {
			if h.Control.String() == address {
				label = h.Label
			}
		}
	})
	return label
}

// URL is the URL of a path at an address "host:port".
func (w Transport) URL(address, path string) string { return w.scheme() + "://" + address + path }

// Straight returns the transport without redirections: an agent, a netmaster, or a program that impersonates one, must not divert requests.
func (w Transport) Straight() Transport {
	out := Transport{Scheme: w.scheme(), HTTP: straight(cmp.Or(w.HTTP, http.DefaultClient))}
	out.Agents = straight(cmp.Or(w.Agents, w.HTTP, http.DefaultClient))
	return out
}

func straight(c *http.Client) *http.Client {
	out := *c
	out.CheckRedirect = stay
	return &out
}

func (w Transport) scheme() string {
	if w.Scheme == "" {
		return "http"
	}
	return w.Scheme
}

// SPDX-License-Identifier: Apache-2.0

package listener

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/contiv/contiv/sanitize"
	"github.com/contiv/contiv/trust"
)

const (
	refusalTime = 30 * time.Second // for how long a refusal is kept: a refused daemon retries within seconds
	maxRefusals = 4096
	maxWhy      = 500 // bytes
)

// Refusals are the machines whose daemons were refused for their certificate, or have refused that of this netmaster. Its methods are safe for
// concurrent use and do not block.
type Refusals struct {
	mu   sync.Mutex
	last map[refusedBy]refusal
}

// refusedBy is a machine, and the role of its daemon; "": it is unknown.
type refusedBy struct {
	host string
	role trust.Role
}

// refusal is the last one.
type refusal struct {
	why string
	at  time.Time
}

// add records a refusal of a client at an address.
func (r *Refusals) add(host string, one trust.Refusal, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		r.last = map[refusedBy]refusal{}
	}
	by := refusedBy{host, one.Peer.Role}
	if _, known := r.last[by]; !known && len(r.last) >= maxRefusals {
		for old, was := range r.last {
			if now.Sub(was.at) > refusalTime {
				delete(r.last, old)
			}
		}
		if len(r.last) >= maxRefusals {
			return
		}
	}
	r.last[by] = refusal{sanitize.Line(one.Why, maxWhy), now}
}

// Of returns why daemons of a role at a machine's address were refused within the last 30 seconds; "": they were not.
func (r *Refusals) Of(host string, role trust.Role) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var newest refusal
	for _, by := range []refusedBy{{host, role}, {host, ""}} {
		if one, ok := r.last[by]; ok && time.Since(one.at) <= refusalTime && one.at.After(newest.at) {
			newest = one
		}
	}
	return newest.why
}

// watch returns a hook of a server that records failed handshakes.
func (r *Refusals) watch(holder *trust.Holder) func(net.Conn, http.ConnState) {
	return func(nc net.Conn, state http.ConnState) {
		secured, ok := nc.(*tls.Conn)
		if !ok || state != http.StateClosed || secured.ConnectionState().HandshakeComplete {
			return
		}
		one, ok := holder.RefusalOf(secured.Handshake()) // the error of the one that failed: it is not repeated
		if !ok {
			return
		}
		if host, _, err := net.SplitHostPort(nc.RemoteAddr().String()); err == nil {
			r.add(host, one, time.Now())
		}
	}
}

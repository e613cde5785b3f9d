// SPDX-License-Identifier: Apache-2.0

package caller

import (
	"context"
	"net"
	"net/http"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/sanitize"
)

// maxName bounds each text from a request's headers, in bytes.
const maxName = 64

// Client returns the address of the client of a request, also of one that a follower forwards.
func Client(q *http.Request) string {
	if q.Header.Get(forwardedBy) != "" {
		if first := sanitize.Line(q.Header.Get(clientHeader), maxName); first != "" {
			return first
		}
	}
	host, _, err := net.SplitHostPort(q.RemoteAddr)
	if err != nil {
		return q.RemoteAddr
	}
	return host
}

// Actor returns the sender of a request: its address, its proved name, and its statements about itself. It reads no token and no body, so no secret gets
// into the history.
func Actor(q *http.Request) model.Actor {
	a := model.Actor{Claimed: sanitize.Line(q.Header.Get(model.ActorHeader), maxName), Program: sanitize.Line(q.UserAgent(), maxName), Address: Client(q)}
	if via := sanitize.Line(q.Header.Get(forwardedBy), maxName); via != "" {
		a.Via = peer.Host(via)
	}
	if who := auth.Of(q.Context()); who.Known() {
		a.Proved, a.Proof = who.Called(), string(who.Proof)
	}
	return a
}

// Attributed returns the context in which the changes of a request are recorded as its sender's.
func Attributed(q *http.Request) context.Context { return commit.By(q.Context(), Actor(q)) }

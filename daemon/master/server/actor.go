package server

import (
	"context"
	"net"
	"net/http"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/access"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/sanitize"
)

// maxName bounds what is taken over from a request's headers, in bytes.
const maxName = 64

// Client returns the address from which a request comes, also through a follower. See genuine.
func Client(q *http.Request) string {
	if q.Header.Get(forwardedBy) != "" {
		if first := sanitize.Line(q.Header.Get(model.ClientHeader), maxName); first != "" {
			return first
		}
	}
	host, _, err := net.SplitHostPort(q.RemoteAddr)
	if err != nil {
		return q.RemoteAddr
	}
	return host
}

// actorOf is who sends a request: where it comes from, and what its sender says of itself. Tokens and bodies are not looked at, so no
// secret can get into the history.
func actorOf(q *http.Request) model.Actor {
	a := model.Actor{Claimed: sanitize.Line(q.Header.Get(model.ActorHeader), maxName), Program: sanitize.Line(q.UserAgent(), maxName), Address: Client(q)}
	if via := sanitize.Line(q.Header.Get(forwardedBy), maxName); via != "" {
		a.Via = peer.Host(via)
	}
	if who := access.Of(q.Context()); who.Known() {
		a.Proved, a.Proof = who.Called(), string(who.Proof)
	}
	return a
}

// attributed is the context in which a request's changes are recorded as its sender's.
func attributed(q *http.Request) context.Context { return commit.By(q.Context(), actorOf(q)) }

package server

import (
	"context"
	"net"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
)

// maxName bounds what is taken over from a request's headers, in bytes.
const maxName = 64

// clientOf is the address that a request came from, be it through a follower. See genuine.
func clientOf(q *http.Request) string {
	if q.Header.Get(forwardedBy) != "" {
		if first := printable(q.Header.Get(model.ClientHeader)); first != "" {
			return first
		}
	}
	host, _, err := net.SplitHostPort(q.RemoteAddr)
	if err != nil {
		return q.RemoteAddr
	}
	return host
}

// actorOf is who sends a request, as far as the request tells; nothing of it is proved. Tokens and bodies are not looked
// at, so no secret can get into the history.
func actorOf(q *http.Request) model.Actor {
	a := model.Actor{User: printable(q.Header.Get(model.ActorHeader)), Program: printable(q.UserAgent()), Address: clientOf(q)}
	if via := printable(q.Header.Get(forwardedBy)); via != "" {
		a.Via = hostOf(via)
	}
	return a
}

// printable keeps what may stand in a terminal, shortened.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, s)
	if len(s) > maxName {
		s = strings.ToValidUTF8(s[:maxName], "")
	}
	return strings.TrimSpace(s)
}

// attributed is the context in which a request's changes are recorded as its sender's.
func attributed(q *http.Request) context.Context { return commit.By(q.Context(), actorOf(q)) }

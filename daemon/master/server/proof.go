package server

import (
	"net/http"

	"github.com/contiv/contiv/daemon/master/access"
	"github.com/contiv/contiv/trust"
)

// proof is who sends a request, as was proved to this netmaster, or to the one that has passed it on; the zero Identity: nothing is proved, or by who passes the request on.
func proof(q *http.Request) trust.Identity {
	if who := access.Of(q.Context()); who.Known() {
		return who.Identity
	}
	if who, _ := trust.Peer(q.TLS); who.Role != trust.Master {
		return who
	}
	return trust.Identity{}
}

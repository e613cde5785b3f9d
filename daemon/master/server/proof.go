package server

import (
	"net/http"

	"github.com/contiv/contiv/trust"
)

// proof is who sends a request, by the certificate of its connection; the zero Identity: nothing is proved, or by who passes the request on.
func proof(q *http.Request) trust.Identity {
	if who, _ := trust.Peer(q.TLS); who.Role != trust.Master {
		return who
	}
	return trust.Identity{}
}

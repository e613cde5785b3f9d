package server

import (
	"net/http"

	"github.com/contiv/contiv/trust"
)

// proof is who sends a request, by the certificate of its connection; the zero Identity: nothing is proved.
func proof(q *http.Request) trust.Identity {
	who, _ := trust.Peer(q.TLS)
	return who
}

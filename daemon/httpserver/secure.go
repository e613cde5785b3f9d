// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"net"
	"net/http"

	"github.com/contiv/contiv/trust"
)

// ServeSecured serves at l until that fails or the server is closed: over TLS, to clients that prove one of the roles, or to all if there
// are none; over plain HTTP where holder is nil. A certificate that is revoked ends the connections that were made with it.
func ServeSecured(srv *http.Server, l net.Listener, holder *trust.Holder, roles ...trust.Role) error {
	if holder == nil {
		return srv.Serve(l)
	}
	srv.TLSConfig = holder.Server(roles...)
	return srv.ServeTLS(holder.Listen(l), "", "")
}

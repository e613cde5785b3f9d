// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"context"
	"crypto/tls"
	"net"
	"time"
)

// handshakeTimeout is the timeout of a TLS handshake.
const handshakeTimeout = 5 * time.Second

// Dial opens a connection without TLS.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Dialer returns a function that opens connections with plain and secures them with a configuration from Client. Revoke closes a
// connection when it revokes the server's certificate.
func (h *Holder) Dialer(plain Dial, secure *tls.Config) Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		nc, err := plain(ctx, network, address)
		if err != nil {
			return nil, err
		}
		known := h.track(nc)
		ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
		defer cancel()
		c := tls.Client(known, secure)
		if err := c.HandshakeContext(ctx); err != nil {
			_ = known.Close()
			return nil, err
		}
		if err := h.remember(known, c.ConnectionState().PeerCertificates[0]); err != nil {
			_ = known.Close()
			return nil, err
		}
		return c, nil
	}
}

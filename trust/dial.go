package trust

import (
	"context"
	"crypto/tls"
	"net"
	"time"
)

// handshakeLimit is how long a handshake of TLS may take.
const handshakeLimit = 5 * time.Second

// Dial opens a connection in plain.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Dialer is plain, secured as secure says, which is of Client's. Revoke ends connections whose server has shown a certificate that is revoked then.
func (h *Holder) Dialer(plain Dial, secure *tls.Config) Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		nc, err := plain(ctx, network, address)
		if err != nil {
			return nil, err
		}
		known := h.track(nc)
		ctx, cancel := context.WithTimeout(ctx, handshakeLimit)
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

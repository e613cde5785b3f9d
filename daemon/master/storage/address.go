// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"net"
	"net/url"

	"github.com/contiv/contiv/daemon/httpserver"
)

// awaitAddresses waits until the machine has the addresses of the embedded store, whose server ends without them.
func (o *Opener) awaitAddresses(ctx context.Context) error {
	for _, text := range []string{o.Embedded.ClientURL, o.Embedded.PeerURL} {
		u, err := url.Parse(text)
		if err != nil {
			return err
		}
		o.Waiting("the address " + u.Host + " of the embedded store, which no interface of this machine has")
		l, err := httpserver.Await(ctx, net.JoinHostPort(u.Hostname(), "0"), o.Log)
		if err != nil {
			return fmt.Errorf("address %s of the embedded store: %w", u.Host, err)
		}
		_ = l.Close()
	}
	o.Waiting("the store")
	return nil
}

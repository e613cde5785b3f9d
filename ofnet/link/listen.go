// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"net"
	"net/netip"
)

// Listen listens for TCP connections at an address of the host, which must exist.
func (h *Host) Listen(at netip.AddrPort) (l net.Listener, err error) {
	err = h.ns.Do(func() error {
		l, err = net.Listen("tcp", at.String())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w", at, err)
	}
	return l, nil
}

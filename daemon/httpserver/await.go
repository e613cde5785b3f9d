// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"syscall"
	"time"
)

// addressTimeout is the interval between two checks for an address that the machine does not have yet.
const addressTimeout = 500 * time.Millisecond

// Await listens at a TCP address as soon as the machine has it: an interface may come minutes after the daemon, and the daemon says so
// once. Any other error, of a taken port for example, returns at once. Await blocks until then, or until ctx ends.
func Await(ctx context.Context, address string, log *slog.Logger) (net.Listener, error) {
	tick := time.NewTicker(addressTimeout)
	defer tick.Stop()
	for said := false; ; said = true {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		if !errors.Is(err, syscall.EADDRNOTAVAIL) {
			return l, err
		}
		if !said {
			log.Warn("waiting for an address that no interface of this machine has", "address", address)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("no interface of this machine has the address: %w", err)
		}
	}
}

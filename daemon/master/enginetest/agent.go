// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"context"
	"net/netip"
	"testing"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// Registered registers the agent of a host at a control address "host:port", as the agent itself does, and waits until that is known.
func (w *World) Registered(tb testing.TB, host, address string) {
	tb.Helper()
	control, err := netip.ParseAddrPort(address)
	if err != nil {
		tb.Fatal(err)
	}
	vtep := netip.MustParseAddr("198.51.100.0")
	w.Catalog.View(func(v *catalog.View) {
		for range len(v.Hosts()) + 1 {
			vtep = vtep.Next()
		}
	})
	w.Admitted(tb, record.Host{Label: host, Machine: "machine of " + host, VTEP: vtep, Port: 4789, Control: control})
}

// Admitted makes a machine a host, with its agent running.
func (w *World) Admitted(tb testing.TB, h record.Host) {
	tb.Helper()
	if _, _, err := w.Registrar.Register(context.Background(), h); err != nil {
		tb.Fatal(err)
	}
}

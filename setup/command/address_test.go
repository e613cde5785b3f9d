// SPDX-License-Identifier: Apache-2.0

package command

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/setup"
)

// usable returns an address of this machine that LocalAddress finds.
func usable(t *testing.T) string {
	t.Helper()
	a, err := flags.LocalAddress()
	if err != nil {
		t.Fatal(err)
	}
	return a.String()
}

// A host that joins again keeps the addresses that it had, as long as the machine has them. Another one takes that of the route to the netmaster.
func TestAddresses(t *testing.T) {
	mine := usable(t)
	for _, c := range []struct {
		name, settings string
		flags          identity
		address, vtep  string
	}{
		{"new host", "", identity{}, mine, mine},
		{"flag", "", identity{address: "192.0.2.7"}, "192.0.2.7", "192.0.2.7"},
		{"both flags", "", identity{address: "192.0.2.7", vtep: "192.0.2.8"}, "192.0.2.7", "192.0.2.8"},
		{"joins again", "CONTIV_NETPLUGIN_CONTROL_IP=127.0.0.1\nCONTIV_NETPLUGIN_VTEP_IP=" + mine, identity{}, "127.0.0.1", mine},
		{"with a flag", "CONTIV_NETPLUGIN_CONTROL_IP=127.0.0.1\nCONTIV_NETPLUGIN_VTEP_IP=127.0.0.1", identity{address: mine}, mine, mine},
		{"address is gone", "CONTIV_NETPLUGIN_CONTROL_IP=192.0.2.9\nCONTIV_NETPLUGIN_VTEP_IP=127.0.0.1", identity{}, mine, mine},
		{"tunnel address is gone", "CONTIV_NETPLUGIN_CONTROL_IP=127.0.0.1\nCONTIV_NETPLUGIN_VTEP_IP=192.0.2.9", identity{}, "127.0.0.1", "127.0.0.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &setup.Host{Root: t.TempDir()}
			file := h.SettingsFile(setup.Netplugin)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(c.settings+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			var w setup.Wish
			if _, err := c.flags.fill(h, &w, net.JoinHostPort(mine, "9999")); err != nil {
				t.Fatal(err)
			}
			if w.Address != c.address || w.VTEP != c.vtep {
				t.Errorf("got address %s and tunnel end %s, want %s and %s", w.Address, w.VTEP, c.address, c.vtep)
			}
		})
	}
}

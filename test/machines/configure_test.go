// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"strings"
	"testing"
)

// systemd gives daemons the settings of contiv init as variables. They are below the operator's files, and a reload of the units applies changed
// files without a restart.
func TestConfigure(t *testing.T) {
	h := newCluster(t, 1, 0).hosts[0]
	has := func(out string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("want %q, got:\n%s", want, out)
			}
		}
	}
	const pid = "systemctl show -p MainPID --value contiv-netmaster"
	const log = "journalctl -q -o cat -u contiv-netmaster --since -1min"
	before := run(t, h, pid)
	has(run(t, h, `printf 'log-level: DEBUG\nmode: kubernetes\n' >/etc/contiv/netmaster.yaml; mkdir /etc/contiv/conf.d; echo 'netplugin: {log-level: DEBUG}' >/etc/contiv/conf.d/debug.yaml; contiv config check; contiv config print netmaster`),
		"netmaster: the configuration is valid", "netplugin: the configuration is valid", "log-level: DEBUG # /etc/contiv/netmaster.yaml:1",
		"mode: kubernetes # /etc/contiv/netmaster.yaml:2; overrides host settings CONTIV_NETMASTER_MODE (/etc/contiv/host/netmaster.env:")
	run(t, h, "systemctl reload contiv-netmaster contiv-netplugin")
	has(run(t, h, "for i in $(seq 50); do "+log+" | grep -q 'reloaded the configuration' && break; sleep 0.2; done; "+log), `msg="changed a setting" key=log-level was=INFO is=DEBUG from=/etc/contiv/netmaster.yaml:1`,
		`msg="a changed setting needs a restart" key=mode was=auto is=kubernetes from=/etc/contiv/netmaster.yaml:2`)
	if after := run(t, h, pid); after != before {
		t.Errorf("want the same process after a reload, got %s, then %s", before, after)
	}
	run(t, h, "systemctl restart contiv-netmaster; for i in $(seq 100); do netctl version >/dev/null 2>&1 && break; sleep 0.2; done; rm /etc/contiv/netmaster.yaml; systemctl reload contiv-netmaster")
	has(run(t, h, "for i in $(seq 50); do "+log+" | grep -q 'is=INFO from=default' && break; sleep 0.2; done; "+log), `key=mode was=kubernetes is=auto from="host settings CONTIV_NETMASTER_MODE (/etc/contiv/host/netmaster.env:`)
	if out, err := h.Run(t.Context(), "echo 'log-levle: DEBUG' >/etc/contiv/netmaster.yaml; contiv config check netmaster"); err == nil {
		t.Errorf("a typo: want an error, got %s", out)
	} else {
		has(out, "netmaster: /etc/contiv/netmaster.yaml:1: unknown key log-levle: did you mean log-level?")
	}
}

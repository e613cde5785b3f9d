// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/test/machines/machine"
)

// units have for each daemon the bound of its exposure, as systemd-analyze counts it from 0 to 10, and the user as which it runs.
var units = []struct {
	daemon string
	most   float64
	user   string
}{{"netmaster", 3, "contiv"}, {"netplugin", 6, "root"}}

// hardened requires that systemd counts the exposure of the daemons below their bounds, that they run as their users, and netmaster without
// any capability.
func hardened(t *testing.T, m *machine.Machine) {
	t.Helper()
	for _, u := range units {
		out := run(t, m, "LC_ALL=C systemd-analyze security --no-pager contiv-"+u.daemon)
		_, rest, _ := strings.Cut(out, "Overall exposure level")
		_, rest, _ = strings.Cut(rest, ": ")
		text, _, _ := strings.Cut(rest, " ")
		if got, err := strconv.ParseFloat(text, 64); err != nil || got >= u.most {
			t.Errorf("contiv-%s: got an exposure of %q, want less than %v: %s", u.daemon, text, u.most, out)
		} else {
			t.Logf("contiv-%s has an exposure of %v", u.daemon, got)
		}
		pid := run(t, m, "systemctl show -p MainPID --value contiv-"+u.daemon)
		if got := run(t, m, "ps -o user= -p "+pid); got != u.user {
			t.Errorf("%s runs as %s, want %s", u.daemon, got, u.user)
		}
	}
	if got := run(t, m, "readlink /proc/1/ns/mnt /proc/$(systemctl show -p MainPID --value contiv-netplugin)/ns/mnt | uniq | wc -l"); got != "1" {
		t.Error("netplugin does not have the mounts of the host, so it would keep namespaces of deleted containers")
	}
	capable := run(t, m, "grep -h -E '^Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/$(systemctl show -p MainPID --value contiv-netmaster)/status")
	for line := range strings.Lines(capable) {
		if name, bits, _ := strings.Cut(strings.TrimSpace(line), ":"); strings.Trim(bits, "0 \t") != "" {
			t.Errorf("netmaster has capabilities: %s %s", name, bits)
		}
	}
	for line := range strings.Lines(run(t, m, "systemctl show -p StatusText --value contiv-netmaster contiv-netplugin | grep .")) {
		if strings.TrimSpace(line) != "ready" {
			t.Errorf("a daemon that serves reports %q, want ready", line)
		}
	}
}

// The units confine the daemons, which work nevertheless, and restart a daemon that does not move.
func TestUnits(t *testing.T) {
	m := boot(t, 1, machine.Spec{Memory: 1500})[0]
	install(t, m, filepath.Join(checkout(t), "bin"))
	run(t, m, "contiv init --address "+m.Address())
	hardened(t, m)
	run(t, m, "NETMASTER=https://"+m.Address()+":9999 netctl net create blue --encap vxlan --subnet 10.20.0.0/16 --gateway 10.20.255.254")
	first := attach(t, m, "first")
	run(t, m, "systemctl restart contiv-netplugin contiv-netmaster")
	second := attach(t, m, "second")
	run(t, m, "ip netns exec second ping -c 3 -W 5 "+first)
	detach(t, m, "first")
	detach(t, m, "second")
	if second == first {
		t.Errorf("both containers have %s", first)
	}
	restarts := func(daemon string) string { return run(t, m, "systemctl show -p NRestarts --value contiv-"+daemon) }
	for _, u := range units { // a process that does not move is one that gives no sign of life
		run(t, m, "kill -STOP $(systemctl show -p MainPID --value contiv-"+u.daemon+")")
	}
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	for _, u := range units {
		for restarts(u.daemon) == "0" {
			select {
			case <-ctx.Done():
				t.Fatalf("%s does not move, and is not restarted within %s: %s", u.daemon, timeout, run(t, m, fmt.Sprintf("systemctl status --no-pager contiv-%s || true", u.daemon)))
			case <-time.After(2 * time.Second):
			}
		}
	}
	attach(t, m, "third")
	detach(t, m, "third")
	run(t, m, "contiv leave --last")
	if left := run(t, m, "systemctl list-unit-files --no-legend 'contiv*'; find /etc/contiv /run/contiv 2>/dev/null || true"); left != "" {
		t.Errorf("after contiv leave: %s", left)
	}
}

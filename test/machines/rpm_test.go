// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
)

// A life of the rpm packages on one machine, whose rpm runs their scripts as any other does: nothing runs after the installation; the
// host of a cluster works through an upgrade, a downgrade, and a removal with a new installation; contiv leave and a removal restore it.
func TestRPM(t *testing.T) {
	m := boot(t, 1, machine.Spec{Memory: 1500})[0]
	of := func(debs string) string { return strings.TrimSuffix(debs, ".deb") + ".rpm" }
	older, newer := of(packages(t, m, olderVersion, *olderDir)), of(packages(t, m, newerVersion, *newerDir))
	before, looks := fileTree(t, m), state(t, m)

	t.Logf("installation: %s", rpm(t, m, "-ih", older))
	if got := run(t, m, "systemctl is-enabled contiv-netmaster contiv-netplugin || true; ps -C netmaster,netplugin -o comm= || true"); got != "disabled\ndisabled" {
		t.Errorf("after the installation: want two disabled units and no process, got %s", got)
	}
	said := run(t, m, "contiv init --address "+m.Address())
	if strings.Contains(said, "No CNI plugin") || run(t, m, "ls /etc/systemd/system/contiv-* 2>/dev/null || true") != "" {
		t.Errorf("want the files of the packages used, got %s", said)
	}
	hardened(t, m)
	run(t, m, "NETMASTER=https://"+m.Address()+":9999 netctl net create blue --encap vxlan --subnet 10.20.0.0/16 --gateway 10.20.255.254")
	attach(t, m, "first")
	second := attach(t, m, "second")

	pings := startPings(t, m, "first", second)
	agent, master := pid(t, m, "netplugin"), pid(t, m, "netmaster")
	said = rpm(t, m, "-Uh", newer)
	t.Logf("upgrade: %s", said)
	if !strings.Contains(said, "keeps its previous program: contiv: this host has the only member of the store") || pid(t, m, "netmaster") != master {
		t.Errorf("the only netmaster: want it kept, and why, got %s", said)
	}
	if pid(t, m, "netplugin") == agent || !runsOwnProgram(t, m, "netplugin") {
		t.Error("want the agent restarted")
	}
	run(t, m, "systemctl restart contiv-netmaster")
	if !runsOwnProgram(t, m, "netmaster") {
		t.Error("netmaster was restarted, and runs another program")
	}
	attach(t, m, "third")
	t.Logf("downgrade: %s", rpm(t, m, "-Uh --oldpackage", older))
	run(t, m, "systemctl restart contiv-netmaster")
	attach(t, m, "fourth")
	if sent, lost := pings.lost(t); lost > 0 || sent < 100 {
		t.Errorf("%d of %d pings were lost during the upgrade and the downgrade", lost, sent)
	} else {
		t.Logf("%d pings, none lost", sent)
	}

	said = rpm(t, m, "-e", strings.Join(packaged, " "))
	t.Logf("removal: %s", said)
	if got := run(t, m, "ps -C netmaster,netplugin -o comm= || true"); got != "" || !strings.Contains(said, "contiv leave, before the removal of the packages") {
		t.Errorf("after the removal: want no process, and what removes the rest, got %s and %s", got, said)
	}
	run(t, m, "ip netns exec first ping -c 3 -W 5 "+second)
	t.Logf("installation again: %s", rpm(t, m, "-ih", newer))
	for _, name := range []string{"first", "second", "third", "fourth"} {
		detach(t, m, name)
	}

	said = run(t, m, "contiv leave --last")
	t.Logf("contiv leave --last: %s", said)
	t.Logf("removal: %s", rpm(t, m, "-e", strings.Join(packaged, " ")))
	for line := range strings.Lines(said) {
		if path, why, ok := strings.Cut(strings.TrimPrefix(line, "remains: "), ": "); ok && strings.HasPrefix(line, "remains: ") && strings.Contains(why, "rm -rf removes them") {
			run(t, m, "rm -rf "+path)
		}
	}
	run(t, m, "rmdir /var/lib/contiv && userdel contiv") // rpm has no purge, and removes no users
	for _, line := range differences(looks, state(t, m)) {
		t.Errorf("after contiv leave and the removal: %s", line)
	}
	for _, line := range differences(before, fileTree(t, m)) {
		t.Errorf("after contiv leave and the removal: %s", line)
	}
}

// rpm runs rpm on files or packages, and returns what it prints. On Debian, rpm does not know what other packages provide.
func rpm(t *testing.T, m *machine.Machine, action, what string) string {
	t.Helper()
	return run(t, m, "rpm --nodeps "+action+" "+what+" 2>&1")
}

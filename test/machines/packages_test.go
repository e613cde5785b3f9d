// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"flag"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
)

// Versions of the packages in the test.
const (
	olderVersion = "0.8.9"
	newerVersion = "0.9.0~test"
)

// Packages that are already made, such as those of another commit. Otherwise the test makes packages of two versions.
var (
	olderDir = flag.String("older", "", "directory with the packages from which TestPackages upgrades")
	newerDir = flag.String("newer", "", "directory with the packages to which TestPackages upgrades")
)

// packaged are the packages, each after those that it needs.
var packaged = []string{"contiv", "contiv-cni", "contiv-netmaster", "contiv-netplugin"}

// A life of packages on one machine: nothing runs after the installation; the host of a cluster works through an upgrade, a downgrade, and
// a removal with a new installation; after a purge it is as it was, apart from the store.
func TestPackages(t *testing.T) {
	m := boot(t, 1, machine.Spec{Memory: 1500})[0]
	older, newer := packages(t, m, olderVersion, *olderDir), packages(t, m, newerVersion, *newerDir)
	tree, looks := fileTree(t, m), state(t, m)

	t.Logf("installation: %s", dpkg(t, m, "-i", older))
	if got := run(t, m, "systemctl is-enabled contiv-netmaster contiv-netplugin || true; ps -C netmaster,netplugin -o comm= || true"); got != "disabled\ndisabled" {
		t.Errorf("after the installation: want two disabled units and no process, got %s", got)
	}
	if got := run(t, m, "netctl --version; contiv --version; man -w netctl contiv-init netmaster 2>&1 | wc -l"); !strings.Contains(got, "Version: ") || !strings.Contains(got, "contiv ") {
		t.Errorf("versions: %s", got)
	}
	run(t, m, "systemctl start contiv-netmaster contiv-netplugin") // a condition is not met, which is no failure
	if got := run(t, m, "systemctl is-active contiv-netmaster contiv-netplugin || true"); got != "inactive\ninactive" {
		t.Errorf("before contiv init: want both inactive, got %s", got)
	}

	said := run(t, m, "contiv init --address "+m.Address())
	if strings.Contains(said, "No CNI plugin") || run(t, m, "ls /etc/systemd/system/contiv-* 2>/dev/null || true") != "" {
		t.Errorf("want the files of the packages used, got %s", said)
	}
	hardened(t, m)
	run(t, m, "NETMASTER=https://"+m.Address()+":9999 netctl net create blue --encap vxlan --subnet 10.20.0.0/16 --gateway 10.20.255.254")
	first, second := attach(t, m, "first"), attach(t, m, "second")

	pings := startPings(t, m, "first", second)
	agent, master := pid(t, m, "netplugin"), pid(t, m, "netmaster")
	said = dpkg(t, m, "-i", newer)
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
	t.Logf("downgrade: %s", dpkg(t, m, "-i", older))
	run(t, m, "systemctl restart contiv-netmaster")
	attach(t, m, "fourth")
	if sent, lost := pings.lost(t); lost > 0 || sent < 100 {
		t.Errorf("%d of %d pings were lost during the upgrade and the downgrade", lost, sent)
	} else {
		t.Logf("%d pings, none lost", sent)
	}

	said = dpkg(t, m, "-r", strings.Join(packaged, " "))
	t.Logf("removal: %s", said)
	if got := run(t, m, "ps -C netmaster,netplugin -o comm= || true"); got != "" || !strings.Contains(said, "apt purge contiv-netplugin removes it") {
		t.Errorf("after the removal: want no process, and what removes the rest, got %s and %s", got, said)
	}
	run(t, m, "ip netns exec first ping -c 3 -W 5 "+second)
	t.Logf("installation again: %s", dpkg(t, m, "-i", newer))
	for _, name := range []string{"first", "second", "third", "fourth"} {
		detach(t, m, name)
	}
	if first == second {
		t.Errorf("two containers have %s", first)
	}

	said = dpkg(t, m, "-P", strings.Join(packaged, " "))
	t.Logf("purge: %s", said)
	for _, line := range differences(looks, state(t, m)) {
		if path, is := strings.CutPrefix(line, "+ files: "); !is || !kept(path) {
			t.Errorf("after the purge: %s", line)
		}
	}
	if !strings.Contains(said, "rm -rf /var/lib/contiv /etc/contiv removes both") {
		t.Errorf("want it said what remains, got %s", said)
	}
	run(t, m, "rm -rf /var/lib/contiv /etc/contiv && userdel contiv")
	for _, line := range differences(tree, fileTree(t, m)) {
		t.Errorf("after the purge: %s", line)
	}
}

// kept reports whether a purge keeps a file: the store, and what opens it.
func kept(path string) bool {
	for _, prefix := range []string{"/var/lib/contiv", "/etc/contiv/trust/ca.", "/etc/contiv/cluster"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return path == "/etc/contiv" || path == "/etc/contiv/trust"
}

// pid returns the process id of a daemon.
func pid(t *testing.T, m *machine.Machine, daemon string) string {
	t.Helper()
	return run(t, m, "systemctl show -p MainPID --value contiv-"+daemon)
}

// runsOwnProgram reports whether a daemon runs the program that is installed.
func runsOwnProgram(t *testing.T, m *machine.Machine, daemon string) bool {
	t.Helper()
	return run(t, m, "readlink /proc/"+pid(t, m, daemon)+"/exe") == "/usr/sbin/"+daemon
}

// dpkg runs dpkg on files or packages, and returns what it says.
func dpkg(t *testing.T, m *machine.Machine, action, what string) string {
	t.Helper()
	return run(t, m, "DEBIAN_FRONTEND=noninteractive dpkg "+action+" "+what+" 2>&1")
}

// packages gives a machine the packages in a directory, or makes those of a version if dir is "". It returns a pattern of the deb files there.
func packages(t *testing.T, m *machine.Machine, version, dir string) string {
	t.Helper()
	return givePackages(t, m, version, packagesOf(t, version, dir))
}

// packagesOf makes the packages of a version if dir is "". It returns their directory.
func packagesOf(t *testing.T, version, dir string) string {
	t.Helper()
	if dir == "" {
		dir = t.TempDir()
		makePackages(t, version, dir)
	}
	return dir
}

// givePackages copies the packages in a directory to a machine, and returns a pattern of the deb files there.
func givePackages(t *testing.T, m *machine.Machine, version, dir string) string {
	t.Helper()
	if err := m.Mount(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	to := "/root/packages-" + version
	run(t, m, "mkdir "+to+" && cp "+dir+"/*.deb "+dir+"/*.rpm "+to+" && umount "+dir)
	return to + "/*.deb"
}

// makePackages makes packages of the programs in bin, or of programs of the older version, in a directory.
func makePackages(t *testing.T, version, dir string) {
	t.Helper()
	args := []string{"packages", "PACKAGES=" + dir, "PACKAGE_VERSION=" + version}
	if version == newerVersion {
		args = append(args, "PROGRAMS=") // those in bin are used as they are
	} else {
		args = append(args, "VERSION="+version, "BIN="+filepath.Join(".cache", "dist", "older"))
	}
	build := exec.Command("make", args...)
	build.Dir = checkout(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("make %v: %v: %s", args, err, out)
	}
	if rpms, err := filepath.Glob(filepath.Join(dir, "*.rpm")); err != nil || len(rpms) != len(packaged) {
		t.Errorf("want %d rpm packages, got %v, %v", len(packaged), rpms, err)
	}
}

// fileTree lists the files of a machine with their types, modes and owners, and the content of those in /etc. It omits what programs write
// by themselves, such as the switch its database, and what package managers keep.
func fileTree(t *testing.T, m *machine.Machine) string {
	t.Helper()
	const omitted = "/var/log /var/cache /var/lib/dpkg /var/lib/apt /var/lib/systemd /var/lib/private /var/backups /var/tmp /tmp /root /run /proc /sys /dev /mnt"
	var prune []string
	for _, path := range strings.Fields(omitted) {
		prune = append(prune, "-path "+path)
	}
	return run(t, m, "find / -xdev \\( "+strings.Join(prune, " -o ")+" \\) -prune -o ! -name '*-' ! -path /etc/openvswitch/conf.db -printf '%p %y %m %u %g %l\\n' | sort; find /etc -xdev -type f ! -name '*-' ! -path /etc/openvswitch/conf.db -exec sha256sum {} + | sort -k 2")
}

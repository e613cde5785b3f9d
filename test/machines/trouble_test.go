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

// found waits until the cluster's verdict has a text, or no longer has it.
func (l *life) found(t *testing.T, text string, there bool) {
	t.Helper()
	var last string
	l.within(t, func(ctx context.Context) bool {
		out, _ := l.netctl(ctx, "doctor") // which fails when it finds an error
		last = out
		return strings.Contains(out, text) == there
	}, func() string { return fmt.Sprintf("want %q in the verdict %t, got\n%s", text, there, last) })
}

// unit has a machine run a command at each boot before its network is up and its daemons start, until the file of the unit is removed.
func unit(t *testing.T, m *machine.Machine, name, command string) (file string) {
	t.Helper()
	file = "/etc/systemd/system/" + name + ".service"
	text := "[Unit]\nDefaultDependencies=no\nAfter=machine-net.service\n" +
		"Before=network-pre.target ssh.service openvswitch-switch.service contiv-netmaster.service contiv-netplugin.service\nWants=network-pre.target\n" +
		"[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/sh -c '" + command + "'\n[Install]\nWantedBy=multi-user.target\n"
	if err := m.Feed(t.Context(), strings.NewReader(text), "cat >"+file+" && systemctl daemon-reload && systemctl enable "+name+" && sync"); err != nil {
		t.Fatal(err)
	}
	return file
}

// lateNIC boots a host whose NICs come when its daemons have long started: that of its address and tunnels, and its uplink.
func lateNIC(t *testing.T, l *life) {
	m, wait := l.masters[2], 30
	if *all {
		wait = 120
	}
	l.disturbed(t, m, func() {
		file := unit(t, m, "nic-late", "ip link set eth1 down; ip link set eth0 name absent0; ip link set eth1 name absent1")
		run(t, m, "touch /etc/machine-late && sync")
		if err := m.CutPower(); err != nil {
			t.Fatal(err)
		}
		if err := m.Boot(t.Context()); err != nil {
			t.Fatal(err)
		}
		run(t, m, fmt.Sprintf("sleep %d; systemctl is-failed contiv-netmaster contiv-netplugin && exit 1; rm /etc/machine-late %s; ip link set absent0 name eth0; ip link set absent1 name eth1; ip link set eth1 up; machine-net eth0",
			wait, file))
	})
}

// fullDisk fills the file system of a store. The host is reported with the cause, the others work, and the host is well again when there
// is room.
func fullDisk(t *testing.T, l *life) {
	m := l.masters[1]
	l.disturbed(t, m, func() {
		run(t, m, "fallocate -l $(( $(stat -f -c '%a*%S' /var/lib/contiv) - 1048576 )) /var/lib/contiv/fill; dd if=/dev/zero of=/var/lib/contiv/more bs=4k 2>/dev/null; df /var/lib/contiv; systemctl kill -s KILL contiv-netmaster")
		l.found(t, "room for the store", true)
		if out := run(t, m, "curl -s --cacert /etc/contiv/trust/ca.crt https://"+m.Address()+":9999/readyz"); !strings.Contains(out, "room for the store") {
			t.Errorf("want the netmaster's reason to wait, got %s", out)
		}
		l.attach(t, m) // by another netmaster
		run(t, m, "rm /var/lib/contiv/fill /var/lib/contiv/more")
	})
	l.found(t, "room for the store", false)
}

// A host whose clock is behind at boot is reported with the cause, and is well when the clock is set.
func TestClock(t *testing.T) {
	c := newCluster(t, 1, 1)
	l := &life{cluster: c, addresses: map[string]string{}}
	for _, m := range c.hosts {
		l.attach(t, m)
	}
	m := c.hosts[1]
	l.wrongClock(t, m, "-1 hour")
	l.settles(t)
	l.attach(t, m)
	l.reach(t)
}

// A cluster that was off until all its certificates have ended comes back by itself: netmasters certify themselves, and agents renew by
// the keys of the ended ones. Containers of hosts that were rebooted are gone; new ones reach each other.
func TestEnded(t *testing.T) {
	c := newCluster(t, 1, 1)
	l := &life{cluster: c, addresses: map[string]string{}}
	for _, m := range c.hosts {
		l.attach(t, m)
		unit(t, m, "month-later", `date -s "30 days"`)
	}
	before := strings.TrimSpace(l.must(t, "tenant", "ls"))
	for _, m := range c.hosts {
		if err := m.CutPower(); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range c.hosts {
		if err := m.Boot(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range c.hosts {
		now, err := strconv.ParseInt(strings.TrimSpace(run(t, m, "date +%s")), 10, 64)
		if err != nil || time.Until(time.Unix(now, 0)) < 29*24*time.Hour {
			t.Fatalf("the clock of %s is not a month ahead: %d, %v", m.Name, now, err)
		}
		// Sooner, Open vSwitch 3.1 has no threads for first packets.
		switched := strings.TrimSpace(run(t, m, "systemctl show --value --property ExecMainStartTimestampMonotonic ovs-vswitchd"))
		if us, err := strconv.ParseInt(switched, 10, 64); err != nil || us < 12_000_000 {
			t.Errorf("ovs-vswitchd of %s started %q µs after the boot, want 12 s or more", m.Name, switched)
		}
		l.renewed(t, m)
		l.attach(t, m)
	}
	l.reach(t)
	var after string // by the user's certificate on the first host
	l.within(t, func(ctx context.Context) bool {
		after, _ = c.hosts[0].Run(ctx, "netctl tenant ls")
		return strings.TrimSpace(after) == before
	}, func() string { return fmt.Sprintf("want the objects as they were:\n%s\ngot\n%s", before, after) })
}

// renewed waits until the agent of a host is ready by its own word: the operator's certificate has ended too.
func (l *life) renewed(t *testing.T, m *machine.Machine) {
	t.Helper()
	const status = "curl -s -m 5 --unix-socket /run/contiv/contiv-agent.sock http://agent/status"
	var last string
	l.within(t, func(ctx context.Context) bool {
		last, _ = m.Run(ctx, status)
		return strings.Contains(last, `"ready":true`)
	}, func() string { return "the agent of " + m.Name + " is not ready: " + last })
}

// wrongClock boots a host whose clock is off, requires that the verdict names the clock, and sets it.
func (l *life) wrongClock(t *testing.T, m *machine.Machine, offset string) {
	t.Helper()
	file := unit(t, m, "clock-off", `date -s "`+offset+`"`)
	if err := m.Reboot(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.found(t, "clock-differs", true)
	run(t, m, fmt.Sprintf("rm %s; systemctl daemon-reload; date -s @%d", file, time.Now().Unix()))
	l.found(t, "clock-differs", false)
}

// wrongClocks has the clock of a netmaster's host off, forward and back, while the others work.
func wrongClocks(t *testing.T, l *life) {
	m := l.masters[2]
	for _, offset := range []string{"1 hour", "-1 hour"} {
		l.disturbed(t, m, func() { l.wrongClock(t, m, offset) })
	}
}

// packageInstalled installs the packages of Open vSwitch again, as an upgrade does: their maintainer scripts restart the switch.
func packageInstalled(t *testing.T, l *life) {
	m := l.hosts[0]
	l.disturbed(t, m, func() {
		for _, name := range []string{"openvswitch-common", "openvswitch-switch"} {
			path, err := cache(t).Package(t.Context(), parts(t).Release, name)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Put(t.Context(), path, "/root/"+filepath.Base(path)); err != nil {
				t.Fatal(err)
			}
		}
		before := run(t, m, "cat /run/openvswitch/ovs-vswitchd.pid")
		own := startPings(t, m, l.names[m.Name], l.addresses[l.hosts[1].Name])
		out := run(t, m, "DEBIAN_FRONTEND=noninteractive dpkg --force-confold -i /root/openvswitch-*.deb")
		if after := run(t, m, "cat /run/openvswitch/ovs-vswitchd.pid"); after == before {
			t.Errorf("the packages' scripts restarted no switch (pid %s): %s", after, out)
		}
		l.settles(t)
		sent, lost := own.lost(t)
		t.Logf("pings of %s, whose switch is restarted: %d of %d lost", m.Name, lost, sent)
	})
	l.found(t, "ways-unknown", false)
}

// agentOnly reboots a host that has no netmaster, and cuts its power.
func agentOnly(t *testing.T, l *life) {
	m := l.hosts[len(l.hosts)-1]
	l.disturbed(t, m, func() {
		if err := m.Reboot(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	l.disturbed(t, m, func() {
		if err := m.CutPower(); err != nil {
			t.Fatal(err)
		}
		if err := m.Boot(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

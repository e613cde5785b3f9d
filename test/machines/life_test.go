// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/test/machines/machine"
)

// A cluster goes through what happens to machines: no write that was acknowledged is lost, no address is assigned twice, and machines
// that stay up lose no packet between them.
func TestLife(t *testing.T) {
	agents := 0
	if *all {
		agents = 1
	}
	c := newCluster(t, 3, agents)
	l := &life{cluster: c, addresses: map[string]string{}}
	for _, m := range c.hosts {
		l.attach(t, m)
	}
	for _, step := range []struct {
		name string
		long bool // only with -all
		do   func(*testing.T, *life)
	}{
		{"reboots", true, reboots}, {"power of one", false, powerOfOne}, {"switch", true, switchRestarts}, {"package", false, packageInstalled},
		{"database", true, databaseLost}, {"late address", true, lateAddress}, {"late NIC", false, lateNIC}, {"full disk", false, fullDisk},
		{"wrong clock", true, wrongClocks}, {"agent only", true, agentOnly}, {"power of all", true, powerOfAll}, {"leave", true, leaves},
	} {
		if step.long && !*all {
			continue
		}
		if !t.Run(step.name, func(t *testing.T) { step.do(t, l) }) {
			break // the next would meet what this has left
		}
	}
}

// life is a cluster with a container on each host.
type life struct {
	*cluster
	number    int
	addresses map[string]string // of the container on each host, by the host's name
	names     map[string]string
}

// attach gives a host a new container. Its address must be no one else's.
func (l *life) attach(t *testing.T, m *machine.Machine) {
	t.Helper()
	l.number++
	name := fmt.Sprintf("c%d", l.number)
	address := attach(t, m, name)
	for host, other := range l.addresses {
		if other == address && host != m.Name {
			t.Errorf("%s on %s gets %s, which the container on %s has", name, m.Name, address, host)
		}
	}
	if l.names == nil {
		l.names = map[string]string{}
	}
	l.addresses[m.Name], l.names[m.Name] = address, name
}

// reach requires that each container reaches each other one.
func (l *life) reach(t *testing.T) {
	t.Helper()
	for _, from := range l.hosts {
		for _, to := range l.hosts {
			if from != to {
				l.ping(t, from, to)
			}
		}
	}
}

// reachTimeout is how long a container may take to reach another one after a host was disturbed. On a busy machine Open vSwitch takes seconds
// for the first packet of a container.
const reachTimeout = 15 * time.Second

// ping requires that the container of one host reaches that of another one.
func (l *life) ping(t *testing.T, from, to *machine.Machine) {
	t.Helper()
	shell := "ip netns exec " + l.names[from.Name] + " ping -c 3 -i 0.2 -W 5 " + l.addresses[to.Name]
	for start := time.Now(); ; {
		out, err := from.Run(t.Context(), shell)
		switch {
		case err == nil:
			return
		case time.Since(start) > reachTimeout:
			t.Fatalf("%s: %s: %v: %s\n%s%s", from.Name, shell, err, out, daemons(t, from), daemons(t, to))
		}
		t.Logf("%s does not reach %s yet, %s after its start: %v", l.names[from.Name], l.addresses[to.Name], time.Since(start), err)
	}
}

// daemons is the state and the last log lines of a host's daemons.
func daemons(t *testing.T, m *machine.Machine) string {
	t.Helper()
	out, err := m.Run(t.Context(), "date; curl -s -m 5 --unix-socket /run/contiv/contiv-agent.sock http://agent/status; journalctl -u contiv-netplugin -u contiv-netmaster -n 40 --no-pager -o cat")
	return fmt.Sprintf("%s: %s, %v\n", m.Name, out, err)
}

// leader is the host whose netmaster leads.
func (l *life) leader(t *testing.T) *machine.Machine {
	t.Helper()
	for line := range strings.Lines(l.must(t, "node", "ls")) {
		words := strings.Fields(line)
		if len(words) < 2 || words[1] != "leader" {
			continue
		}
		for _, m := range l.hosts {
			if m.Address() == words[0] {
				return m
			}
		}
	}
	t.Fatal("no netmaster leads")
	return nil
}

// disturbed has something happen to one host, under pings between the others and a writer, and then gives the host a new container.
func (l *life) disturbed(t *testing.T, m *machine.Machine, what func()) {
	t.Helper()
	var others []*machine.Machine
	for _, o := range l.hosts {
		if o != m {
			others = append(others, o)
		}
	}
	w := startWriter(t, l.cluster, fmt.Sprintf("w%d-", l.number))
	pings := []*pinger{
		startPings(t, others[0], l.names[others[0].Name], l.addresses[others[1].Name]),
		startPings(t, others[1], l.names[others[1].Name], l.addresses[others[0].Name]),
	}
	what()
	l.settles(t)
	for _, p := range pings {
		sent, lost := p.lost(t)
		t.Logf("%s: %d of %d lost", p.name, lost, sent)
		if lost > 0 || sent == 0 {
			t.Errorf("pings of %s while %s was disturbed: %d of %d lost, want none", p.name, m.Name, lost, sent)
		}
	}
	w.check(t, l.cluster)
	l.attach(t, m)
	l.reach(t)
}

func reboots(t *testing.T, l *life) {
	hosts := l.hosts
	if !*all {
		hosts = []*machine.Machine{l.leader(t)}
	}
	for _, m := range hosts {
		l.disturbed(t, m, func() {
			if err := m.Reboot(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// powerOfOne cuts the power of the leader, and of a host whose netmaster follows.
func powerOfOne(t *testing.T, l *life) {
	leads := l.leader(t)
	cut := []*machine.Machine{leads}
	for _, m := range l.hosts {
		if m != leads && *all {
			cut = append(cut, m)
			break
		}
	}
	for _, m := range cut {
		l.disturbed(t, m, func() {
			if err := m.CutPower(); err != nil {
				t.Fatal(err)
			}
			if err := m.Boot(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// switchRestarts kills Open vSwitch's programs and restarts them as their package does. Containers stay connected.
func switchRestarts(t *testing.T, l *life) {
	m := l.hosts[0]
	for _, shell := range []string{
		"kill -9 $(cat /run/openvswitch/ovs-vswitchd.pid)",
		"kill -9 $(cat /run/openvswitch/ovsdb-server.pid)",
		"systemctl restart openvswitch-switch",
	} {
		run(t, m, shell+"; systemctl start openvswitch-switch ovsdb-server ovs-vswitchd")
		l.settles(t)
		l.reach(t)
	}
}

// databaseLost removes the switch's database while it is off: the agent recreates everything.
func databaseLost(t *testing.T, l *life) {
	m := l.hosts[1]
	run(t, m, "systemctl stop openvswitch-switch ovs-vswitchd ovsdb-server; rm -f /etc/openvswitch/conf.db; systemctl start openvswitch-switch")
	l.settles(t)
	run(t, m, "ip netns del "+l.names[m.Name])
	l.attach(t, m)
	l.reach(t)
}

// lateAddress boots a host whose address comes when its daemons have long started.
func lateAddress(t *testing.T, l *life) {
	m := l.masters[2]
	l.disturbed(t, m, func() {
		run(t, m, "touch /etc/machine-late && sync")
		if err := m.CutPower(); err != nil {
			t.Fatal(err)
		}
		if err := m.Boot(t.Context()); err != nil {
			t.Fatal(err)
		}
		// By then systemd's usual limit of five starts in ten seconds would have been reached many times.
		run(t, m, "sleep 60; systemctl is-failed contiv-netmaster contiv-netplugin && exit 1; rm /etc/machine-late; machine-net eth0")
	})
}

// powerOfAll cuts the power of all hosts at once, and boots them in several orders.
func powerOfAll(t *testing.T, l *life) {
	orders := [][]int{{2, 0, 1}}
	if *all {
		orders = [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	}
	for _, order := range orders {
		w := startWriter(t, l.cluster, fmt.Sprintf("all%d%d%d-", order[0], order[1], order[2]))
		for _, m := range l.hosts {
			if err := m.CutPower(); err != nil {
				t.Fatal(err)
			}
		}
		for _, i := range order {
			if err := l.masters[i].Boot(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range l.hosts {
			if !m.On() { // it has an agent only
				if err := m.Boot(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		l.settles(t)
		w.check(t, l.cluster)
		for _, m := range l.hosts {
			l.attach(t, m)
		}
		l.reach(t)
	}
}

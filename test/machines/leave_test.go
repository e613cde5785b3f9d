// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
)

// A host that leaves is as it was before it became a host, and so is the last one of a cluster.
func TestLeave(t *testing.T) {
	c := newCluster(t, 1, 1)
	l := &life{cluster: c, addresses: map[string]string{}}
	for _, m := range c.hosts {
		l.attach(t, m)
	}
	if t.Run("agent", func(t *testing.T) { l.leaves(t, c.hosts[1]) }) {
		t.Run("last", func(t *testing.T) {
			l.refused(t, c.hosts[0], "contiv leave --last")
			l.gone(t, c.hosts[0], "contiv leave --last")
		})
	}
}

// leaves has the third netmaster's host leave.
func leaves(t *testing.T, l *life) { l.leaves(t, l.masters[2]) }

// leaves has a host leave the cluster: refused while a container is there, and then without a trace but for the store's data, which are
// named. The host joins again then, and leaves again.
func (l *life) leaves(t *testing.T, m *machine.Machine) {
	l.refused(t, m, "contiv leave")
	l.reach(t)
	l.gone(t, m, "contiv leave")
	others := func(all []*machine.Machine) []*machine.Machine {
		return slices.DeleteFunc(slices.Clone(all), func(o *machine.Machine) bool { return o == m })
	}
	hosts := l.hosts
	l.hosts, l.masters = others(l.hosts), others(l.masters)
	l.settles(t)
	l.reach(t)
	words := strings.Fields(run(t, l.masters[0], "contiv token create"))
	run(t, m, "contiv join --address "+m.Address()+" "+invitation(t, words))
	l.hosts = hosts
	l.settles(t)
	l.attach(t, m)
	l.reach(t)
	l.gone(t, m, "contiv leave")
	l.hosts = others(hosts)
}

// refused requires that a host with a container does not leave, and that the error names the endpoint.
func (l *life) refused(t *testing.T, m *machine.Machine, leave string) {
	t.Helper()
	out, err := m.Run(t.Context(), leave)
	if err == nil || !strings.Contains(out, l.names[m.Name]) || !strings.Contains(out, "--force") {
		t.Fatalf("%s with a container on the host: want it refused with the endpoint and the remedy, got %v: %s", leave, err, out)
	}
}

// gone deletes the containers of a host and has it leave, which leaves nothing but what it names.
func (l *life) gone(t *testing.T, m *machine.Machine, leave string) {
	t.Helper()
	for _, name := range strings.Fields(run(t, m, "ip netns list | cut -d' ' -f1")) {
		detach(t, m, name)
	}
	said := run(t, m, leave)
	t.Logf("%s says:\n%s", leave, said)
	if slices.Contains(l.masters, m) && !strings.Contains(said, "remains: /var/lib/contiv/store.left") {
		t.Errorf("want the store's data named, got\n%s", said)
	}
	for line := range strings.Lines(said) {
		if path, why, ok := strings.Cut(strings.TrimPrefix(line, "remains: "), ": "); ok && strings.HasPrefix(line, "remains: ") && strings.Contains(why, "rm -rf removes them") {
			run(t, m, "rm -rf "+path)
		}
	}
	run(t, m, "[ ! -d /var/lib/contiv ] || mountpoint -q /var/lib/contiv || rmdir /var/lib/contiv")
	for _, line := range differences(l.before[m.Name], state(t, m)) {
		t.Errorf("after %s: %s", leave, line)
	}
}

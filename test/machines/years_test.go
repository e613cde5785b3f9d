// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
)

// The years of a cluster of packages: bare machines become hosts, are upgraded, lose the store of one netmaster and then all stores, are
// restored, downgraded, and leave, until the machines are bare again. No packet between hosts is lost, and no acknowledged write; no
// address is assigned twice.
func TestYears(t *testing.T) {
	y := newYears(t)
	for _, step := range []struct {
		name string
		do   func(*testing.T)
	}{
		{"upgrade", func(t *testing.T) { y.installed(t, y.newer) }},
		{"one disk", func(t *testing.T) { oneDisk(t, y.book) }},
		{"all disks", func(t *testing.T) { restoresOf(t, y.book, 100) }},
		{"downgrade", func(t *testing.T) { y.installed(t, y.older) }},
		{"purge", y.purged},
	} {
		if !t.Run(step.name, step.do) {
			break // the next would meet what this has left
		}
	}
}

// years is a cluster whose hosts have packages.
type years struct {
	*book
	trees        map[string]string // files of the bare machines, by name
	older, newer string            // patterns of packages on each machine
}

func newYears(t *testing.T) *years {
	older, newer := packagesOf(t, olderVersion, *olderDir), packagesOf(t, newerVersion, *newerDir)
	y := &years{trees: map[string]string{}}
	y.book = newBook(newClusterBy(t, 3, 0, func(m *machine.Machine) {
		y.older, y.newer = givePackages(t, m, olderVersion, older), givePackages(t, m, newerVersion, newer)
		y.trees[m.Name] = fileTree(t, m)
		dpkg(t, m, "-i", y.older)
	}))
	for _, m := range y.life.hosts {
		y.more(t, m)
	}
	y.reach(t)
	return y
}

// installed installs packages on one host after the other. The packages restart both daemons: a majority of netmasters remains.
func (y *years) installed(t *testing.T, files string) {
	y.kept(t, y.life.hosts, func() {
		w := startWriter(t, y.cluster, fmt.Sprintf("y%d-", y.number))
		for _, m := range y.life.hosts {
			said := dpkg(t, m, "-i", files)
			y.settles(t)
			for _, daemon := range []string{"netmaster", "netplugin"} {
				if !runsOwnProgram(t, m, daemon) {
					t.Errorf("%s of %s does not run the installed program:\n%s", daemon, m.Name, said)
				}
			}
		}
		w.check(t, y.cluster)
	})
}

// purged has the hosts leave, the last one as the end of the cluster, and purges the packages. The machines are as they were.
func (y *years) purged(t *testing.T) {
	for i, m := range slices.Backward(y.life.hosts) {
		leave := "contiv leave"
		if i == 0 {
			leave += " --last"
		}
		y.gone(t, m, leave)
		y.life.hosts, y.masters = y.life.hosts[:i], y.masters[:i]
		said := dpkg(t, m, "-P", strings.Join(packaged, " "))
		run(t, m, "userdel contiv 2>/dev/null || true")
		for _, line := range differences(y.trees[m.Name], fileTree(t, m)) {
			t.Errorf("%s after the purge: %s\n%s", m.Name, line, said)
		}
		if i > 0 {
			y.settles(t)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
	"github.com/contiv/contiv/test/machines/page"
)

// perHost is the number of containers on each host of a cluster whose store is lost and restored.
const perHost = 20

// runbookTexts maps texts of the runbooks, except the token, to those of these machines.
var runbookTexts = map[string]string{"10.254.2.": "10.78.0.", "sudo ": ""}

// The runbooks work on booted machines with three netmasters and 60 containers: the store is lost in part or as a whole and restored from
// snapshots of several ages, one netmaster gets a new address, and all a new authority. No packet between hosts is lost, no address is
// assigned twice, and no container needs to be connected again.
func TestRunbooks(t *testing.T) {
	b := newBook(newCluster(t, 3, 0))
	for range perHost {
		for _, m := range b.life.hosts {
			b.more(t, m)
		}
	}
	for _, step := range []struct {
		name string
		do   func(*testing.T, *book)
	}{
		{"one disk", oneDisk}, {"not mounted", notMounted}, {"majority", majority}, {"restore", restores}, {"authority", authority}, {"address", address},
	} {
		if !t.Run(step.name, func(t *testing.T) { step.do(t, b) }) {
			break // the next would meet what this has left
		}
	}
}

// book is a cluster whose operator follows runbooks.
type book struct {
	*life
	*reader
	of map[string]string // containers by their addresses
}

func newBook(c *cluster) *book {
	return &book{
		life:   &life{cluster: c, addresses: map[string]string{}},
		reader: &reader{hosts: c.hosts, own: maps.Clone(runbookTexts), token: "TOKEN@10.254.2.1:9999", same: page.Masked},
		of:     map[string]string{},
	}
}

// more adds a container to a host, whose address no other container may have.
func (b *book) more(t *testing.T, m *machine.Machine) {
	t.Helper()
	b.attach(t, m)
	name, address := b.names[m.Name], b.addresses[m.Name]
	if other := b.of[address]; other != "" {
		t.Errorf("%s on %s gets %s, which %s has", name, m.Name, address, other)
	}
	b.of[address] = name + " on " + m.Name
}

// kept follows a runbook during pings between the newest containers of hosts that keep their tunnels. Afterwards the cluster is healthy,
// each host gets another container, and the store has all endpoints.
func (b *book) kept(t *testing.T, hosts []*machine.Machine, do func()) {
	t.Helper()
	var pings []*pinger
	for i, m := range hosts {
		pings = append(pings, startPings(t, m, b.names[m.Name], b.addresses[hosts[(i+1)%len(hosts)].Name]))
	}
	do()
	b.copyTrust(t) // its certificate, or the authority, may be another one
	b.settles(t)
	for _, p := range pings {
		sent, lost := p.lost(t)
		t.Logf("%s: %d of %d lost", p.name, lost, sent)
		if lost > 0 || sent == 0 {
			t.Errorf("pings of %s: %d of %d lost, want none", p.name, lost, sent)
		}
	}
	for _, m := range b.life.hosts {
		b.more(t, m)
	}
	b.reach(t)
	b.complete(t)
}

// complete requires that the store has each container with its address, and that no host carries a container that contradicts the store.
func (b *book) complete(t *testing.T) {
	t.Helper()
	missing := fmt.Sprintf("%d endpoints", len(b.of))
	b.within(t, func(ctx context.Context) bool {
		out, err := b.netctl(ctx, "endpoint", "ls", "--json")
		if err != nil {
			missing = err.Error()
			return false
		}
		var list []struct {
			IPAddress []string `json:"ipAddress"`
		}
		if err := json.Unmarshal([]byte(out), &list); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		there := map[string]bool{}
		for _, e := range list {
			for _, a := range e.IPAddress {
				if a == "" { // no IPv6 address
					continue
				}
				if there[a] {
					t.Fatalf("two endpoints have %s", a)
				}
				there[a] = true
			}
		}
		missing = ""
		for a, name := range b.of {
			if !there[a] {
				missing += " " + name + " (" + a + ")"
			}
		}
		return missing == ""
	}, func() string { return "the store lacks " + missing })
	if out := b.must(t, "adopt", "ls"); strings.Contains(out, "default:blue:") {
		t.Errorf("want no endpoint that contradicts the store, got\n%s", out)
	}
}

// loseStore kills a netmaster and removes its store, as the loss of its disk does.
func loseStore(t *testing.T, m *machine.Machine) {
	t.Helper()
	run(t, m, "systemctl kill -s KILL contiv-netmaster; systemctl stop contiv-netmaster; rm -rf /var/lib/contiv/store")
}

// oneDisk loses the store of one of three netmasters. Earlier writes are not lost.
func oneDisk(t *testing.T, b *book) {
	b.kept(t, b.life.hosts, func() {
		w := startWriter(t, b.cluster, "disk-")
		loseStore(t, b.masters[2])
		b.refuses(t, b.masters[2], "the data is lost, replace the member")
		b.read(t, "runbooks/disk-lost.md")
		b.joined(t, 3)
		w.check(t, b.cluster)
	})
}

// refuses starts a netmaster, which must wait with a reason, and stops it.
func (b *book) refuses(t *testing.T, m *machine.Machine, why string) {
	t.Helper()
	run(t, m, "systemctl start contiv-netmaster")
	var last string
	b.within(t, func(ctx context.Context) bool {
		last, _ = m.Run(ctx, "curl -s --cacert /etc/contiv/trust/ca.crt https://"+m.Address()+":9999/readyz; journalctl -u contiv-netmaster -n 5 --no-pager")
		return strings.Contains(last, why)
	}, func() string {
		return fmt.Sprintf("want the netmaster of %s to wait, with %q, got %s", m.Name, why, last)
	})
	run(t, m, "systemctl stop contiv-netmaster")
}

// memberLine matches the part of a line of netctl leader that only a member which answers has: whether it leads.
var memberLine = regexp.MustCompile(`:2379 +(true|false) `)

// joined waits until the store has a number of voting members that answer.
func (b *book) joined(t *testing.T, members int) {
	t.Helper()
	b.copyTrust(t)
	var last string
	b.within(t, func(ctx context.Context) bool {
		last, _ = b.netctl(ctx, "leader")
		return len(memberLine.FindAllString(last, -1)) == members
	}, func() string { return fmt.Sprintf("want %d members of the store, got\n%s", members, last) })
}

// notMounted starts a netmaster without the separate disk of its store, which /etc/fstab does not name. The netmaster starts no empty store,
// and continues once the disk is mounted.
func notMounted(t *testing.T, b *book) {
	m := b.masters[1]
	b.kept(t, b.life.hosts, func() {
		run(t, m, "systemctl stop contiv-netmaster; sed -i 's,^/dev/ubdb,#&,' /etc/fstab; systemctl daemon-reload; umount /var/lib/contiv")
		b.refuses(t, m, "mount the file system of /var/lib/contiv/store")
		run(t, m, "sed -i 's,^#/dev/ubdb,/dev/ubdb,' /etc/fstab; systemctl daemon-reload; mount /var/lib/contiv; systemctl start contiv-netmaster")
	})
}

// majority loses the stores of two of three netmasters.
func majority(t *testing.T, b *book) {
	b.kept(t, b.life.hosts, func() {
		loseStore(t, b.masters[1])
		loseStore(t, b.masters[2])
		b.read(t, "runbooks/majority-lost.md")
		b.joined(t, 3)
	})
}

// restores loses all stores and restores a snapshot, for several ages in revisions. Containers created after the snapshot stay.
func restores(t *testing.T, b *book) {
	ages := []int{0, 100}
	if *all {
		ages = []int{0, 1, 100, 10_000}
	}
	for _, age := range ages {
		t.Run(strconv.Itoa(age), func(t *testing.T) { restoresOf(t, b, age) })
	}
}

// restoresOf loses all stores and restores a snapshot that is a number of revisions old.
func restoresOf(t *testing.T, b *book, age int) {
	first := b.masters[0]
	run(t, first, "rm -f /var/lib/contiv/snapshots/saved-*; contiv snapshot save")
	if age > 0 {
		b.write(t, age)
		for _, m := range b.life.hosts {
			b.more(t, m)
		}
	}
	b.kept(t, b.life.hosts, func() {
		for _, m := range b.masters {
			loseStore(t, m)
		}
		b.read(t, "runbooks/all-disks-lost.md")
		b.joined(t, 3)
	})
}

// write creates at least a number of revisions, one by each new tenant.
func (b *book) write(t *testing.T, revisions int) {
	t.Helper()
	first := b.masters[0]
	run(t, first, fmt.Sprintf(`cd /etc/contiv/trust && awk 'BEGIN{for(i=0;i<%d;i++)printf "next\nurl=https://%s:9999/api/v1/tenants/aged%%d/\nrequest=POST\ndata={\"tenantName\":\"aged%%d\"}\nheader=\"Content-Type: application/json\"\nfail\nsilent\noutput=/dev/null\ncacert=ca.crt\ncert=user.pem\n", i, i}' | tail -n +2 >/tmp/writes && curl -sS -K /tmp/writes`,
		revisions, first.Address()))
}

// authority replaces the authority of the cluster.
func authority(t *testing.T, b *book) {
	b.kept(t, b.life.hosts, func() {
		w := startWriter(t, b.cluster, "authority-")
		b.read(t, "runbooks/authority-replaced.md")
		w.stop() // its certificate is of the previous authority
		<-w.done
		b.copyTrust(t)
		w.check(t, b.cluster)
	})
}

// address changes the address of a host.
func address(t *testing.T, b *book) {
	b.kept(t, b.life.hosts[:2], func() {
		w := startWriter(t, b.cluster, "address-")
		b.read(t, "runbooks/address-changed.md")
		w.check(t, b.cluster)
		var last string
		b.within(t, func(ctx context.Context) bool {
			last, _ = b.netctl(ctx, "node", "ls")
			return strings.Contains(last, "10.78.0.33") && !strings.Contains(last, "10.78.0.3 ")
		}, func() string { return "want netmaster of h3 at 10.78.0.33, got\n" + last })
	})
}

// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/test/machines/machine"
)

// earlier is the build from which TestUpgrade starts, until a release is older than this one.
const earlier = "b09d933dc00b12f8f5f62c7c0312360c6dd021ee"

var from = flag.String("from", earlier, "commit of the build from which TestUpgrade starts")

// A cluster is upgraded from an earlier build, host by host, and downgraded again, each as docs/how-to/upgrade.md says, while containers
// come and go, and tenants are created: no ping between containers is lost, no command of CNI fails, and nothing acknowledged is lost.
func TestUpgrade(t *testing.T) {
	old, current := programsOf(t, *from), filepath.Join(checkout(t), "bin")
	c := newClusterOf(t, old, 3, 1)
	l := &life{cluster: c, addresses: map[string]string{}}
	for _, m := range c.hosts {
		l.attach(t, m)
	}
	l.reach(t)
	if !t.Run("plan", func(t *testing.T) { l.planned(t, current) }) {
		return
	}
	for _, step := range []struct{ name, bin string }{{"upgrade", current}, {"downgrade", old}} {
		if !t.Run(step.name, func(t *testing.T) { l.replaced(t, step.bin) }) {
			break
		}
	}
}

// planned requires that the contiv of a directory plans the restart of each daemon, and a handover.
func (l *life) planned(t *testing.T, bin string) {
	first := l.hosts[0]
	if err := first.Put(t.Context(), filepath.Join(bin, "contiv"), "/root/contiv"); err != nil {
		t.Fatal(err)
	}
	t.Logf("contiv upgrade plan:\n%s", run(t, first, "/root/contiv upgrade plan"))
	var plan struct {
		Steps    []struct{ Host, Daemon, Command string }
		Blockers []string
	}
	if err := json.Unmarshal([]byte(run(t, first, "/root/contiv upgrade plan -o json")), &plan); err != nil {
		t.Fatal(err)
	}
	if got, want := len(plan.Steps), len(l.masters)+1+len(l.hosts); got != want || len(plan.Blockers) > 0 {
		t.Errorf("got %d steps, want %d, and blockers %q", got, want, plan.Blockers)
	}
}

// programsOf builds the programs of a commit, once, and returns their directory.
func programsOf(t *testing.T, commit string) (dir string) {
	t.Helper()
	root := checkout(t)
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit = git("rev-parse", "--verify", commit+"^{commit}")
	dir = filepath.Join(root, ".cache", "builds", commit)
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	tree := t.TempDir()
	git("archive", "-o", filepath.Join(tree, "source.tar"), commit)
	for _, shell := range []string{"tar -xf source.tar", "make build COMMIT=" + commit[:12] + " VERSION=" + commit[:12], "mkdir -p " + filepath.Dir(dir) + " && cp -r bin " + dir + ".new && mv " + dir + ".new " + dir} {
		cmd := exec.Command("sh", "-c", shell)
		cmd.Dir = tree
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s in %s: %v: %s", shell, tree, err, out)
		}
	}
	return dir
}

// replaced replaces the programs of each host by those in a directory: the followers, then the leader's host after it has handed over,
// then the host that has an agent only.
func (l *life) replaced(t *testing.T, bin string) {
	w := startWriter(t, l.cluster, fmt.Sprintf("u%d-", l.number))
	var pings []*pinger
	for i, m := range l.hosts {
		to := l.hosts[(i+1)%len(l.hosts)]
		pings = append(pings, startPingsEvery(t, pingInterval, m, l.names[m.Name], l.addresses[to.Name]))
	}
	ch := startChurn(t, l.hosts)
	leads := l.leader(t)
	order := slices.DeleteFunc(slices.Clone(l.masters), func(m *machine.Machine) bool { return m == leads })
	order = append(append(order, leads), l.hosts[len(l.masters):]...)
	for _, m := range order {
		if m == leads {
			l.must(t, "leader", "handover")
		}
		install(t, m, bin)
		run(t, m, "for unit in contiv-netmaster contiv-netplugin; do systemctl cat $unit >/dev/null 2>&1 && systemctl restart $unit; done; true")
		l.settles(t)
	}
	ch.check(t)
	for _, p := range pings {
		sent, lost := p.lost(t)
		t.Logf("%s: %d of %d lost", p.name, lost, sent)
		if lost > 0 || sent == 0 {
			t.Errorf("pings of %s: %d of %d lost, want none", p.name, lost, sent)
		}
	}
	w.check(t, l.cluster)
	for _, m := range l.hosts {
		if got, want := strings.Fields(run(t, m, "netplugin --version"))[1], version(t, bin); got != want {
			t.Errorf("version on %s: got %s, want %s", m.Name, got, want)
		}
		l.attach(t, m)
	}
	l.reach(t)
}

// pingInterval is the time between two pings of a container, in seconds.
const pingInterval = "0.001"

// version is the version of the programs in a directory.
func version(t *testing.T, bin string) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(bin, "netplugin"), "--version").Output()
	words := bytes.Fields(out)
	if err != nil || len(words) < 2 {
		t.Fatalf("netplugin --version: %v: %s", err, out)
	}
	return string(words[1])
}

// churn attaches containers on hosts and detaches them, one after the other, until it is stopped.
type churn struct {
	stop   context.CancelFunc
	done   chan struct{}
	rounds int
	failed []string
}

// churned attaches container number $1, and detaches it. As runtimes do, it repeats a command whose answer is to try again later.
const churned = `call() { for i in $(seq 60); do
  out=$(echo '%s' | CNI_COMMAND=$1 CNI_CONTAINERID=$2 CNI_NETNS=/run/netns/$2 CNI_IFNAME=eth0 CNI_PATH=/usr/local/bin contivk8s 2>&1) && return 0
  case $out in *'"code":11,'* | *'"code": 11,'*) sleep 0.5;; *) break;; esac; done; echo "$1: $out"; return 1; }
ip netns add %[2]s && call ADD %[2]s && call DEL %[2]s; status=$?; ip netns del %[2]s; exit $status`

func startChurn(t *testing.T, hosts []*machine.Machine) *churn {
	ctx, stop := context.WithCancel(t.Context())
	c := &churn{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		for ; ctx.Err() == nil; c.rounds++ {
			m := hosts[c.rounds%len(hosts)]
			if out, err := m.Run(context.WithoutCancel(ctx), fmt.Sprintf(churned, conf, fmt.Sprintf("churn%d", c.rounds))); err != nil {
				c.failed = append(c.failed, fmt.Sprintf("%s: %v: %s", m.Name, err, out))
			}
		}
	}()
	return c
}

// check ends the churn, and requires that each command succeeded.
func (c *churn) check(t *testing.T) {
	t.Helper()
	c.stop()
	<-c.done
	t.Logf("%d containers were attached and detached", c.rounds)
	if c.rounds == 0 {
		t.Error("no container was attached")
	}
	for _, f := range c.failed {
		t.Errorf("attach and detach: %s", f)
	}
}

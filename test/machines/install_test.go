// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/test/machines/machine"
	"github.com/contiv/contiv/test/machines/page"
)

// Placeholders of docs/tutorials/install.md for values that differ between clusters.
const (
	pageAddress = "192.0.2.1%d" // of host N
	pageToken   = "TOKEN@192.0.2.11:9999"
)

// asResult is the lowest exit code of netctl that is a result, not a failure of the command.
const asResult = 10

// Every block of docs/tutorials/install.md does on fresh machines what the page says.
func TestInstall(t *testing.T) {
	r := &reader{hosts: boot(t, 3, machine.Spec{Memory: 1500}), own: map[string]string{}, token: pageToken, same: func(text string) string { return text }}
	for i, m := range r.hosts {
		r.own[fmt.Sprintf(pageAddress, i+1)] = m.Address()
	}
	r.read(t, "tutorials/install.md")
	hardened(t, r.hosts[0])
	// A host without Docker and Kubernetes is as well as any.
	if out := run(t, r.hosts[0], "netctl node ls -o json"); strings.Contains(out, "Docker") || strings.Count(out, `"mode": "cni"`) != len(r.hosts) {
		t.Errorf("want every agent to have found no more than CNI, and nothing about Docker: %s", out)
	}
}

// reader runs the blocks of a page.
type reader struct {
	hosts []*machine.Machine
	own   map[string]string        // texts of these machines by those of the page
	token string                   // of the page
	same  func(text string) string // a text without what differs from one run to another; outputs are compared by it
}

// read runs the blocks of a page of docs in their order.
func (r *reader) read(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout(t), "docs", file))
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := page.Blocks(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for i := range blocks {
		r.follow(t, file, &blocks[i])
	}
}

// follow runs a block on each of its hosts.
func (r *reader) follow(t *testing.T, file string, b *page.Block) {
	t.Helper()
	var where []*machine.Machine
	for _, name := range b.Hosts {
		for _, m := range r.hosts {
			if name == m.Name || name == page.All {
				where = append(where, m)
			}
		}
	}
	for i, m := range where {
		answers(t, m)
		r.run(t, fmt.Sprintf("docs/%s:%d on %s", file, b.Line, m.Name), b, i, func(shell string) *exec.Cmd { return m.Command(t.Context(), shell) })
	}
	switch {
	case b.Hosts[0] == page.Source:
		r.run(t, fmt.Sprintf("docs/%s:%d", file, b.Line), b, 0, func(shell string) *exec.Cmd { return r.source(t, shell) })
	case len(where) == 0:
		t.Fatalf("docs/%s:%d: no machine is %s", file, b.Line, strings.Join(b.Hosts, ", "))
	}
}

// run runs a block once, and compares what it prints with the page.
func (r *reader) run(t *testing.T, where string, b *page.Block, time int, command func(shell string) *exec.Cmd) {
	t.Helper()
	shell := "set -e\n" + page.Substitute(b.Shell, r.own)
	out, err := command(shell).CombinedOutput()
	t.Logf("%s:\n%s\n%s", where, shell, out)
	if code := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &code) || code.ExitCode() < asResult || code.ExitCode() > 99) {
		for _, m := range r.hosts {
			state, err := m.Run(t.Context(), "uptime; top -b -n 1 | head -14; ss -s; journalctl -n 25 --no-pager -o short-precise")
			t.Logf("%s: %v\n%s", m.Name, err, state)
		}
		t.Fatalf("%s: %v: %s", where, err, out)
	}
	if missing := page.Matches(r.same(page.Substitute(b.Prints, r.own)), r.same(string(out))); missing != "" {
		t.Errorf("%s, run %d: this is not printed: %s", where, time+1, missing)
	}
	if strings.Contains(string(out), "the kernel has no module") {
		t.Errorf("%s, run %d: a module that is built into this kernel counts as missing", where, time+1)
	}
	r.learn(string(out))
}

// answers waits until a machine takes commands: one that shares two processors with others may take longer for that than ssh waits.
func answers(t *testing.T, m *machine.Machine) {
	t.Helper()
	var err error
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		began := time.Now()
		if _, err = m.Run(t.Context(), "true"); err == nil {
			if took := time.Since(began); took > 2*time.Second {
				t.Logf("%s took %s for a command", m.Name, took.Round(100*time.Millisecond))
			}
			return
		}
	}
	t.Fatalf("%s takes no command: %v", m.Name, err)
}

// learn remembers the token that a command has printed, as a reader copies it.
func (r *reader) learn(out string) {
	for _, word := range strings.Fields(out) {
		if strings.Count(word, ".") >= 2 && strings.Contains(word, "@") && strings.HasSuffix(word, ":9999") {
			r.own[r.token] = word
		}
	}
}

// scp copies files to a machine as scp does, by a directory that the machine mounts: over the emulated network 150 MB take minutes.
const scp = `#!/bin/sh -e
for to; do :; done
files=
while [ $# -gt 1 ]; do files="$files $1"; shift; done
exec ssh "${to%%:*}" "mkdir -p /mnt/scp && LIBMOUNT_FORCE_MOUNT2=always mount -t hostfs -o $PWD none /mnt/scp && cd /mnt/scp && cp$files ${to#*:} && cd / && umount /mnt/scp"
`

// source runs a block where the source is, on a machine of the hosts' network, which knows the machines' key.
func (r *reader) source(t *testing.T, shell string) *exec.Cmd {
	t.Helper()
	bin := t.TempDir()
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"ssh": "#!/bin/sh\nexec " + ssh + " -q -i " + r.hosts[0].Spec.Parts.Key + ` -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes "$@"` + "\n",
		"scp": scp,
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := r.hosts[0].Beside(t.Context(), "bash", "-c", shell)
	cmd.Dir = checkout(t)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	return cmd
}

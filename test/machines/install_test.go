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

// What docs/tutorials/install.md has in the place of what differs from cluster to cluster.
const (
	pageAddress = "192.0.2.1%d" // of host N
	pageToken   = "TOKEN@192.0.2.11:9999"
)

// asResult is the least exit code of netctl that says how something is, and not that the command failed.
const asResult = 10

// Every block of docs/tutorials/install.md does on fresh machines what the page says.
func TestInstall(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(checkout(t), "docs", "tutorials", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := page.Blocks(string(text))
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{hosts: boot(t, 3, machine.Spec{Memory: 1500}), own: map[string]string{}}
	for i, m := range r.hosts {
		r.own[fmt.Sprintf(pageAddress, i+1)] = m.Address()
	}
	for i := range blocks {
		r.follow(t, &blocks[i])
	}
	// A host without Docker and Kubernetes is as well as any.
	if out := run(t, r.hosts[0], "netctl node ls -o json"); strings.Contains(out, "Docker") || strings.Count(out, `"mode": "cni"`) != len(r.hosts) {
		t.Errorf("want every agent to have found no more than CNI, and nothing about Docker: %s", out)
	}
}

// reader is who follows a page.
type reader struct {
	hosts []*machine.Machine
	own   map[string]string // texts of these machines by those of the page
}

// follow does what a block says, on each of its hosts.
func (r *reader) follow(t *testing.T, b *page.Block) {
	t.Helper()
	var where []*machine.Machine
	for _, name := range b.Hosts {
		for _, m := range r.hosts {
			if name == m.Name || name == page.All {
				where = append(where, m)
			}
		}
	}
	shell := "set -e\n" + page.Substitute(b.Shell, r.own)
	var commands []*exec.Cmd
	for _, m := range where {
		answers(t, m)
		commands = append(commands, m.Command(t.Context(), shell))
	}
	if b.Hosts[0] == page.Source {
		commands = []*exec.Cmd{r.source(t, shell)}
	}
	if len(commands) == 0 {
		t.Fatalf("docs/tutorials/install.md:%d: no machine is %s", b.Line, strings.Join(b.Hosts, ", "))
	}
	for i, cmd := range commands {
		out, err := cmd.CombinedOutput()
		t.Logf("docs/tutorials/install.md:%d on %s:\n%s\n%s", b.Line, strings.Join(b.Hosts, ", "), shell, out)
		if code := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &code) || code.ExitCode() < asResult || code.ExitCode() > 99) {
			for _, m := range r.hosts {
				state, err := m.Run(t.Context(), "uptime; top -b -n 1 | head -14; ss -s; journalctl -n 25 --no-pager -o short-precise")
				t.Logf("%s: %v\n%s", m.Name, err, state)
			}
			t.Fatalf("docs/tutorials/install.md:%d: %v: %s", b.Line, err, out)
		}
		if missing := page.Matches(page.Substitute(b.Prints, r.own), string(out)); missing != "" {
			t.Errorf("docs/tutorials/install.md:%d, run %d: this is not printed: %s", b.Line, i+1, missing)
		}
		if strings.Contains(string(out), "the kernel has no module") {
			t.Errorf("docs/tutorials/install.md:%d, run %d: a module that is built into this kernel counts as missing", b.Line, i+1)
		}
		r.learn(string(out))
	}
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
			r.own[pageToken] = word
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

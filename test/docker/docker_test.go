// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/lab"
)

// dockerBin is the directory of the engine that is tested.
var dockerBin = flag.String("docker-bin", "", "directory of dockerd, docker, containerd and runc: .cache/engines of make engines, by its full path (default: the machine's)")

// up makes a lab of hosts with engines; it is gone when the test ends, and has left nothing in the machine's control groups.
func up(t *testing.T, p lab.Plan) *lab.Lab {
	t.Helper()
	self := filepath.Join(t.TempDir(), lab.Program)
	if out, err := exec.Command("go", "build", "-o", self, "github.com/contiv/contiv/lab/contivlab").CombinedOutput(); err != nil {
		t.Fatalf("build contiv-lab: %v\n%s", err, out)
	}
	dir, err := os.MkdirTemp("", "lab") // its name is short enough for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p.Dir, p.Docker, p.DockerBin, p.Masters, p.Store = dir, true, *dockerBin, 1, lab.StoreEmbedded
	l, err := lab.New(p, self, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		groups := []string{fmt.Sprintf("contiv-lab-%s-%d", l.Name, l.Number)}
		plugins, _ := filepath.Glob(filepath.Join(l.Dir, "h*", "docker", "plugins", strings.Repeat("[0-9a-f]", 64)))
		for _, p := range plugins {
			groups = append(groups, filepath.Base(p))
		}
		if err := l.Down(context.Background()); err != nil {
			t.Error(err)
		}
		for _, group := range groups {
			for _, top := range []string{"/sys/fs/cgroup/", "/sys/fs/cgroup/*/"} {
				if left, _ := filepath.Glob(top + group); len(left) > 0 {
					t.Errorf("control groups are left: %v", left)
				}
			}
		}
	})
	if err := l.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

// docker runs the docker command on a host and returns what it prints.
func docker(t *testing.T, l *lab.Lab, host string, args ...string) string {
	t.Helper()
	cmd, err := l.Command(t.Context(), host, append([]string{"docker"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: docker %s: %v\n%s", host, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// Engines are parts of their hosts: apart from each other, killed and started as others are.
func TestEnginesOfALab(t *testing.T) {
	l := up(t, lab.Plan{Name: "engines", Hosts: 2, Bare: true, DockerFlags: []string{"--live-restore"}})
	if got := docker(t, l, "h1", "run", "--rm", "--network", "none", lab.Image, "hostname"); len(got) != 12 {
		t.Errorf("hostname of a container: %q", got)
	}
	docker(t, l, "h1", "run", "-d", "--name", "stays", "--network", "none", lab.Image)
	if got := docker(t, l, "h2", "ps", "-q", "-a"); got != "" {
		t.Errorf("the engine of h2 has containers of h1's: %s", got)
	}
	started := docker(t, l, "h1", "inspect", "-f", "{{.State.Pid}}", "stays")
	if err := l.Kill("h1", lab.PartDocker); err != nil {
		t.Fatal(err)
	}
	if err := l.Start(t.Context(), "h1", lab.PartDocker); err != nil {
		t.Fatal(err)
	}
	if got := docker(t, l, "h1", "inspect", "-f", "{{.State.Running}} {{.State.Pid}}", "stays"); got != "true "+started {
		t.Errorf("after the engine was killed the container is %q, want true %s", got, started)
	}
}

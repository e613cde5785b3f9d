// SPDX-License-Identifier: Apache-2.0

package kubernetes_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
)

// What is tested: directories of programs, by their full paths.
var (
	kubernetesBin = flag.String("kubernetes-bin", "", "directory of Kubernetes' programs (default: the newest in .cache/kubernetes)")
	containerdBin = flag.String("containerd-bin", "", "directory of containerd and runc: .cache/engines of make engines (default: the machine's)")
)

// programs is the directory of the project's programs, built when the tests start.
var programs string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(withPrograms(m.Run))
}

// withPrograms builds the programs for the time in which do runs.
func withPrograms(do func() int) int {
	dir, err := os.MkdirTemp("", "programs")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	programs = dir
	for name, folder := range map[string]string{"contiv": "console", lab.Program: "lab/contivlab", "netctl": "netctl", "netmaster": "daemon/master", "netplugin": "daemon/agent", "contivk8s": "cni"} {
		build := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, name), "github.com/contiv/contiv/"+folder)
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make build does, whose packages are compiled
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build %s: %v\n%s", name, err, out)
			return 1
		}
	}
	return do()
}

// patience bounds every wait of a test.
const patience = 60 * time.Second

// root is the top of the source tree.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// cluster is a lab with Kubernetes, netmaster and agents.
type cluster struct {
	*lab.Lab
	t   *testing.T
	bin string
}

// start makes a cluster of two hosts, or of the number in p, with the network that pods have by default. It is gone when the test ends,
// and has left no mount and no control group.
func start(t *testing.T, p lab.Plan) *cluster {
	t.Helper()
	c := bare(t, p)
	c.netctl("network", "create", "--encap", "vxlan", "--subnet", "10.40.0.0/16", "--gateway", "10.40.255.254",
		"--subnetv6", "fd40::/64", "--gatewayv6", "fd40::ffff", "default-net")
	return c
}

// bare is start without a network.
func bare(t *testing.T, p lab.Plan) *cluster {
	t.Helper()
	c := &cluster{t: t, bin: programs}
	self := filepath.Join(c.bin, lab.Program)
	if p.Kubernetes == nil {
		p.Kubernetes = &lab.Kubernetes{}
	}
	p.Kubernetes.Bin, p.Kubernetes.Containerd = built(t), *containerdBin
	dir, err := os.MkdirTemp("", "lab") // its name is short enough for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p.Dir, p.Bin, p.Hosts, p.Masters, p.Store = dir, c.bin, max(p.Hosts, 2), max(p.Masters, 1), lab.StoreEmbedded
	if c.Lab, err = lab.New(p, self, t.Output()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.down() })
	if err := c.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// built is the directory of Kubernetes' programs.
func built(t *testing.T) string {
	t.Helper()
	if *kubernetesBin != "" {
		return *kubernetesBin
	}
	all, err := filepath.Glob(filepath.Join(root(t), ".cache/kubernetes/v*")) // sorted
	if err != nil || len(all) == 0 {
		t.Fatalf("Kubernetes is not built: make kubernetes does it (%v)", err)
	}
	return all[len(all)-1]
}

// down ends the cluster, and looks for what it has left.
func (c *cluster) down() {
	if c.t.Failed() {
		c.describe()
	}
	if err := c.Down(context.Background()); err != nil {
		c.t.Error(err)
	}
	for _, top := range []string{"/sys/fs/cgroup/", "/sys/fs/cgroup/*/"} {
		if left, _ := filepath.Glob(top + fmt.Sprintf("contiv-lab-%s-%d", c.Name, c.Number)); len(left) > 0 {
			c.t.Errorf("control groups are left: %v", left)
		}
	}
	if mounts, err := os.ReadFile("/proc/self/mountinfo"); err != nil || strings.Contains(string(mounts), c.Dir) {
		c.t.Errorf("mounts are left below %s (%v)", c.Dir, err)
	}
}

// describe logs what a failed test's pods and events are.
func (c *cluster) describe() {
	for _, args := range [][]string{{"get", "pods", "-A", "-o", "wide"}, {"get", "events", "-A", "--sort-by=.lastTimestamp"}} {
		cmd, err := c.Kubectl(context.Background(), args...)
		if err != nil {
			return
		}
		out, _ := cmd.CombinedOutput()
		c.t.Logf("kubectl %s\n%s", strings.Join(args, " "), out)
	}
}

// try runs kubectl and returns what it prints to standard output; its error has what it prints to the other.
func (c *cluster) try(args ...string) (string, error) { return c.feed("", args...) }

// feed is try with standard input.
func (c *cluster) feed(input string, args ...string) (string, error) {
	c.t.Helper()
	cmd, err := c.Kubectl(c.t.Context(), args...)
	if err != nil {
		return "", err
	}
	cmd.Stdin = strings.NewReader(input)
	return output(cmd)
}

// output runs a command: what it prints, trimmed, and in the error what it complains of.
func output(cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}

// kubectl is try, which must succeed.
func (c *cluster) kubectl(args ...string) string {
	c.t.Helper()
	out, err := c.try(args...)
	if err != nil {
		c.t.Fatalf("kubectl %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// apply makes objects as this YAML or JSON says, or changes them.
func (c *cluster) apply(objects string) {
	c.t.Helper()
	if _, err := c.feed(objects, "apply", "-f", "-"); err != nil {
		c.t.Fatalf("apply %s: %v", objects, err)
	}
}

// namespace makes a namespace in which pods can be made.
func (c *cluster) namespace(name string, labels ...string) {
	c.t.Helper()
	c.kubectl("create", "namespace", name)
	if len(labels) > 0 {
		c.kubectl(append([]string{"label", "namespace", name}, labels...)...)
	}
	c.kubectl("wait", "--for=create", "--timeout=30s", "--namespace", name, "serviceaccount/default")
}

// tryNetctl runs netctl and returns what it prints.
func (c *cluster) tryNetctl(args ...string) (string, error) {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), filepath.Join(c.bin, "netctl"), args...)
	var err error
	if cmd.Env, err = c.Environ(); err != nil {
		c.t.Fatal(err)
	}
	return output(cmd)
}

// netctl is tryNetctl, which must succeed.
func (c *cluster) netctl(args ...string) string {
	c.t.Helper()
	out, err := c.tryNetctl(args...)
	if err != nil {
		c.t.Fatalf("netctl %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// on runs a shell's command line on a host and returns what it prints.
func (c *cluster) on(host, line string) (string, error) {
	c.t.Helper()
	cmd, err := c.Command(c.t.Context(), host, "sh", "-c", line)
	if err != nil {
		c.t.Fatal(err)
	}
	return output(cmd)
}

// eventually waits until is returns no error.
func (c *cluster) eventually(what string, is func() error) {
	c.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		err := is()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("after %s: want %s: %v", patience, what, err)
		}
	}
}

// restart kills a part of a host and starts it again.
func (c *cluster) restart(host, part string) {
	c.t.Helper()
	if err := c.Kill(host, part); err != nil {
		c.t.Fatal(err)
	}
	if err := c.Start(c.t.Context(), host, part); err != nil {
		c.t.Fatal(err)
	}
}

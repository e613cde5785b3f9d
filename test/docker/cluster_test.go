// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
)

// cluster is a lab with engines, a netmaster and agents.
type cluster struct {
	*lab.Lab
	t   *testing.T
	bin string
}

// start makes a cluster of two hosts, which is gone when the test ends.
func start(t *testing.T, p lab.Plan) *cluster {
	t.Helper()
	c := &cluster{t: t, bin: t.TempDir()}
	for name, dir := range map[string]string{"netctl": "netctl", "netmaster": "daemon/master", "netplugin": "daemon/agent", "contivk8s": "cni"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(c.bin, name), "github.com/contiv/contiv/"+dir).CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", name, err, out)
		}
	}
	p.Hosts, p.Bin = 2, c.bin
	c.Lab = up(t, p)
	return c
}

// docker runs the docker command on a host and returns what it prints.
func (c *cluster) docker(host string, args ...string) string {
	c.t.Helper()
	return docker(c.t, c.Lab, host, args...)
}

// refused runs the docker command on a host, which must fail with this reason.
func (c *cluster) refused(words, host string, args ...string) {
	c.t.Helper()
	cmd, err := c.Command(c.t.Context(), host, append([]string{"docker"}, args...)...)
	if err != nil {
		c.t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), words) {
		c.t.Errorf("%s: docker %s: want a refusal with %q, got %v: %s", host, strings.Join(args, " "), words, err, out)
	}
}

// netctl runs the netctl command and returns what it prints and whether it succeeds.
func (c *cluster) netctl(args ...string) (string, error) {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), filepath.Join(c.bin, "netctl"), args...)
	var err error
	if cmd.Env, err = c.Environ(); err != nil {
		c.t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// must is netctl, which must succeed.
func (c *cluster) must(args ...string) string {
	c.t.Helper()
	out, err := c.netctl(args...)
	if err != nil {
		c.t.Fatalf("netctl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// network makes a Docker network on both hosts.
func (c *cluster) network(name string, options ...string) {
	c.t.Helper()
	for _, host := range []string{"h1", "h2"} {
		c.docker(host, append(append([]string{"network", "create", "-d", "netplugin", "--ipam-driver", "netplugin"}, options...), name)...)
	}
}

// hosted waits until the agents of both hosts have given their engines a network of the cluster.
func (c *cluster) hosted(name string) {
	c.t.Helper()
	for _, host := range []string{"h1", "h2"} {
		within(c.t, 20*time.Second, func() error {
			out, err := on(c.t, c.Lab, host, "docker", "network", "inspect", name)
			if err != nil {
				return fmt.Errorf("%s: %w: %s", host, err, out)
			}
			return nil
		})
	}
}

// run starts a container and returns its address on a Docker network.
func (c *cluster) run(host, name, network string, options ...string) string {
	c.t.Helper()
	c.docker(host, append(append([]string{"run", "-d", "--name", name, "--network", network}, options...), lab.Image)...)
	return c.address(host, name, network)
}

func (c *cluster) address(host, name, network string) string {
	c.t.Helper()
	return c.docker(host, "inspect", "-f", "{{(index .NetworkSettings.Networks \""+network+"\").IPAddress}}", name)
}

// pings reports whether a container reaches an address.
func (c *cluster) pings(host, name, address string) bool {
	c.t.Helper()
	cmd, err := c.Command(c.t.Context(), host, "docker", "exec", name, "ping", "-c", "1", "-W", "1", address)
	if err != nil {
		c.t.Fatal(err)
	}
	return cmd.Run() == nil
}

// reaches waits until a container reaches an address, or until it does not.
func (c *cluster) reaches(want bool, host, name, address string) {
	c.t.Helper()
	for end := time.Now().Add(10 * time.Second); c.pings(host, name, address) != want; {
		if time.Now().After(end) {
			c.t.Errorf("%s on %s reaches %s: want %v", name, host, address, want)
			return
		}
	}
}

// shell runs a command on a host and returns what it prints.
func (c *cluster) shell(host, script string) string {
	c.t.Helper()
	cmd, err := c.Command(c.t.Context(), host, "sh", "-c", script)
	if err != nil {
		c.t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s: %s: %v\n%s", host, script, err, out)
	}
	return strings.TrimSpace(string(out))
}

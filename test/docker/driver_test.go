// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
)

// Containers of real engines live on Contiv's networks, with those of CNI.
func TestDriver(t *testing.T) {
	c := start(t, lab.Plan{Name: "driver", DockerFlags: []string{"--live-restore"}})
	c.must("network", "create", "--subnet", "10.1.1.0/24", "--gateway", "10.1.1.254", "--subnetv6", "fd01::/64", "--gatewayv6", "fd01::fe", "blue")
	c.hosted("blue")

	one, two := c.run("h1", "one", "blue"), c.run("h2", "two", "blue")
	pod, err := c.Attach(t.Context(), lab.Container{Host: "h2", Name: "pod", Tenant: "default", Network: "blue"})
	if err != nil {
		t.Fatal(err)
	}
	c.reaches(true, "h1", "one", two)
	c.reaches(true, "h2", "two", one)
	for _, a := range pod.IPs {
		c.reaches(true, "h1", "one", a.String())
	}
	c.reaches(true, "h1", "one", "10.1.1.254")

	t.Run("wanted addresses", func(t *testing.T) {
		c := c.at(t)
		// Newer commands refuse --mac-address for older engines, which accept it as before.
		c.shell("h1", `curl -sf --unix-socket /run/docker.sock -H "Content-Type: application/json" -X POST http://docker/v1.41/containers/create?name=fixed -d '`+
			`{"Image":"`+lab.Image+`","MacAddress":"0a:58:0a:01:01:4d","HostConfig":{"NetworkMode":"blue"},`+
			`"NetworkingConfig":{"EndpointsConfig":{"blue":{"IPAMConfig":{"IPv4Address":"10.1.1.77"}}}}}'`)
		c.docker("h1", "start", "fixed")
		if got := c.address("h1", "fixed", "blue"); got != "10.1.1.77" {
			t.Errorf("--ip 10.1.1.77: got %s", got)
		}
		if got := c.docker("h1", "exec", "fixed", "ip", "link", "show", "eth0"); !strings.Contains(got, "0a:58:0a:01:01:4d") {
			t.Errorf("--mac-address: got %s", got)
		}
		c.reaches(true, "h2", "two", "10.1.1.77")
		c.refused("endpoint default:blue:", "h2", "run", "--rm", "--network", "blue", "--ip", "10.1.1.77", lab.Image, "true")
		c.docker("h1", "rm", "-f", "fixed")
		if got := c.run("h2", "fixed", "blue", "--ip", "10.1.1.77"); got != "10.1.1.77" {
			t.Errorf("--ip 10.1.1.77 once it is free: got %s", got)
		}
		c.docker("h2", "rm", "-f", "fixed")
	})
	t.Run("several networks", func(t *testing.T) {
		c := c.at(t)
		c.must("network", "create", "--subnet", "10.2.1.0/24", "--gateway", "10.2.1.254", "--tag", "red-tag", "red")
		c.network("tagged", "--ipam-opt", "contiv-tag=red-tag") // by the side of that which the agent keeps
		c.hosted("red")
		other := c.run("h2", "other", "tagged")
		c.docker("h1", "network", "connect", "red", "one")
		c.reaches(true, "h1", "one", other)
		c.reaches(true, "h1", "one", two)
		c.docker("h1", "network", "disconnect", "red", "one")
		if got := c.docker("h1", "exec", "one", "ip", "-o", "link"); strings.Contains(got, "eth1") {
			t.Errorf("disconnected, and still there: %s", got)
		}
		c.docker("h2", "rm", "-f", "other")
		c.refuses("docker network rm", "network", "rm", "red")
		for _, host := range []string{"h1", "h2"} {
			c.docker(host, "network", "rm", "tagged")
		}
		c.must("network", "rm", "red")
	})
	t.Run("groups", func(t *testing.T) {
		c := c.at(t)
		c.must("policy", "create", "closed")
		c.must("policy", "rule-add", "closed", "1", "--direction", "in", "--protocol", "icmp", "--action", "deny")
		c.must("group", "create", "blue", "web")
		c.must("group", "create", "--policy", "closed", "blue", "db")
		c.hosted("web")
		c.hosted("db")
		c.run("h1", "web", "web")
		db := c.run("h2", "db", "db")
		c.reaches(false, "h1", "web", db)
		c.must("policy", "rule-rm", "closed", "1")
		c.reaches(true, "h1", "web", db)
		c.docker("h1", "rm", "-f", "web")
		c.docker("h2", "rm", "-f", "db")
	})
	t.Run("networks that Docker makes", func(t *testing.T) {
		c := c.at(t)
		c.docker("h1", "network", "create", "-d", "netplugin", "--ipam-driver", "netplugin", "--subnet", "10.9.0.0/24", "-o", "network=made", "made")
		if got := c.run("h1", "guest", "made"); !strings.HasPrefix(got, "10.9.0.") {
			t.Errorf("address on a made network: %s", got)
		}
		c.reaches(true, "h1", "guest", "10.9.0.1")
		c.docker("h1", "rm", "-f", "guest")
		c.docker("h1", "network", "rm", "made")
		c.refuses("not found", "network", "inspect", "made")
		c.docker("h1", "network", "create", "-d", "netplugin", "--ipam-driver", "netplugin", "--internal", "--ipam-opt", "network=blue", "inside")
		c.run("h1", "guest", "inside")
		if got := c.docker("h1", "exec", "guest", "ip", "route"); strings.Contains(got, "default") {
			t.Errorf("routes on an internal network: %s", got)
		}
		c.reaches(true, "h1", "guest", two)
		c.docker("h1", "rm", "-f", "guest")
		c.refused("--ipam-driver", "h1", "network", "create", "-d", "netplugin", "--subnet", "10.77.0.0/24", "foreign")
	})
	t.Run("kills", func(t *testing.T) { c.at(t).kills(one, two) })
	t.Run("nothing is left", func(t *testing.T) { c.at(t).nothing() })
}

// at is the cluster for a part of the test.
func (c *cluster) at(t *testing.T) *cluster { return &cluster{c.Lab, t, c.bin} }

// refuses runs the netctl command, which must fail with this reason.
func (c *cluster) refuses(words string, args ...string) {
	c.t.Helper()
	if out, err := c.netctl(args...); err == nil || !strings.Contains(out, words) {
		c.t.Errorf("netctl %s: want a refusal with %q, got %v: %s", strings.Join(args, " "), words, err, out)
	}
}

// kills ends engine and agent of a host, one after the other.
func (c *cluster) kills(one, two string) {
	for _, part := range []string{lab.PartDocker, lab.PartAgent} {
		if err := c.Kill("h1", part); err != nil {
			c.t.Fatal(err)
		}
		c.reaches(true, "h2", "two", one)
		if err := c.Start(c.t.Context(), "h1", part); err != nil {
			c.t.Fatal(err)
		}
		c.reaches(true, "h1", "one", two)
		c.run("h1", "after", "blue")
		c.reaches(true, "h1", "after", two)
		c.docker("h1", "rm", "-f", "after")
	}
}

// nothing removes all containers and networks, and what is left then.
func (c *cluster) nothing() {
	c.docker("h1", "rm", "-f", "one")
	c.docker("h2", "rm", "-f", "two")
	if err := c.Detach(c.t.Context(), "pod"); err != nil {
		c.t.Error(err)
	}
	c.docker("h1", "network", "rm", "inside")
	for _, host := range []string{"h1", "h2"} {
		within(c.t, 10*time.Second, func() error { // they are deleted in their turn
			if got := c.shell(host, "ip -o link | grep -E ': v[vf]' || true"); got != "" {
				return fmt.Errorf("%s: interfaces are left: %s", host, got)
			}
			return nil
		})
	}
	if got := c.must("endpoint", "ls", "-o", "name"); got != "" {
		c.t.Errorf("endpoints are left: %s", got)
	}
	if got := c.must("ip", "show", "blue", "-o", "name"); got != "10.1.1.254\nfd01::fe\n" {
		c.t.Errorf("addresses of blue that are not free: want only the gateways, got %q", got)
	}
	for _, args := range [][]string{{"group", "rm", "web"}, {"group", "rm", "db"}, {"network", "rm", "blue"}} {
		c.must(args...)
	}
}

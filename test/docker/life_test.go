// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
)

// oper is what netctl inspect shows of an object beside its configuration.
func (c *cluster) oper(kind, name string) map[string]any {
	c.t.Helper()
	out, err := c.netctl(kind, "inspect", name)
	if err != nil {
		return nil
	}
	var object struct{ Oper map[string]any }
	if err := json.Unmarshal([]byte(out), &object); err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
	return object.Oper
}

// kept are the networks of the cluster that a host's engine has, ordered.
func (c *cluster) kept(host string) []string {
	c.t.Helper()
	out := strings.Fields(c.docker(host, "network", "ls", "--filter", "label=io.contiv.managed=true", "--format", "{{.Name}}"))
	slices.Sort(out)
	return out
}

// A container of a real engine is known by its names, serves by its labels, and is on the network that the agent keeps; what an engine no
// longer has is given back. DOC-06: every host has the network, also one that was made while its engine was away.
func TestEngineLife(t *testing.T) {
	c := start(t, lab.Plan{Name: "dklife", DockerFlags: []string{"--live-restore"}})
	both := func(what string, names ...string) {
		t.Helper()
		for _, host := range []string{"h1", "h2"} {
			eventually(t, what+" on "+host, func() bool { return slices.Equal(c.kept(host), names) })
		}
	}
	c.must("network", "create", "--subnet", "10.1.1.0/24", "--gateway", "10.1.1.254", "blue")
	c.must("group", "create", "blue", "web")
	both("the cluster's networks", "blue", "web")
	c.must("service", "create", "shop", "--network", "blue", "--selector", "app=web", "--port", "80:8080:TCP")
	one := c.run("h1", "web1", "web", "--network-alias", "api", "--label", "app=web")
	two := c.run("h2", "client", "blue", "--dns", "10.1.1.254")
	c.reaches(true, "h2", "client", one)
	id := c.docker("h1", "inspect", "-f", "{{.Id}}", "web1")
	for _, name := range []string{"web1", "api", id, id[:12]} {
		eventually(t, "the endpoint of "+name, func() bool {
			o := c.oper("endpoint", name)
			return o["containerID"] == id && o["containerName"] == "web1"
		})
	}
	provides := func(n float64) func() bool {
		return func() bool { got, _ := c.oper("service", "shop")["numProviders"].(float64); return got == n }
	}
	eventually(t, "a provider", provides(1))
	for _, name := range []string{"web1", "api", "shop"} {
		eventually(t, "an answer about "+name, func() bool {
			cmd, err := c.Command(t.Context(), "h2", "docker", "exec", "client", "ping", "-c", "1", "-W", "1", name)
			if err != nil {
				t.Fatal(err)
			}
			out, _ := cmd.CombinedOutput()
			return strings.Contains(string(out), "PING "+name+" (")
		})
	}
	if got := c.must("why", "client", "web1"); !strings.Contains(got, one) || !strings.Contains(got, two) {
		t.Errorf("why client web1: %s", got)
	}

	c.docker("h1", "rename", "web1", "web2")
	eventually(t, "its new name", func() bool { return c.oper("endpoint", "web2")["containerID"] == id })
	c.docker("h1", "stop", "-t", "1", "web2")
	eventually(t, "no provider", provides(0))
	c.docker("h1", "start", "web2")
	eventually(t, "a provider again", provides(1))
	if err := c.Kill("h1", lab.PartDocker); err != nil {
		t.Fatal(err)
	}
	if err := c.Kill("h1", lab.PartAgent); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(t.Context(), "h1", lab.PartAgent); err != nil {
		t.Fatal(err)
	}
	c.reaches(true, "h2", "client", c.oper("endpoint", "web2")["ipAddress"].([]any)[0].(string))
	if err := c.Start(t.Context(), "h1", lab.PartDocker); err != nil {
		t.Fatal(err)
	}
	c.must("group", "create", "blue", "late")
	both("a group made while there was no engine", "blue", "late", "web")
	if !provides(1)() {
		t.Error("a container that lived on no longer provides")
	}
	c.loses("h1", "web2", "client")
}

// loses has a host's engine lose its data, with one container that has ended and one that lives on. The address of the first is released,
// and the other one stays as long as it lives; other is a container of the other host.
func (c *cluster) loses(host, ended, other string) {
	c.t.Helper()
	stays := c.run(host, "stays", "blue")
	pids := map[string]string{}
	for _, name := range []string{ended, "stays"} {
		pids[name] = c.docker(host, "inspect", "-f", "{{.State.Pid}}", name)
	}
	if err := c.Kill(host, lab.PartDocker); err != nil {
		c.t.Fatal(err)
	}
	c.shell(host, "kill -9 "+pids[ended]+"; rm -rf /run/lab/docker || true")
	if err := c.Start(c.t.Context(), host, lab.PartDocker); err != nil {
		c.t.Fatal(err)
	}
	eventually(c.t, "networks again", func() bool { return len(c.kept(host)) == 3 })
	released := func(name string) {
		c.t.Helper()
		began := time.Now()
		for c.oper("endpoint", name) != nil {
			if time.Since(began) > 2*time.Minute {
				c.t.Fatalf("the endpoint is left after two minutes: %v", c.oper("endpoint", name))
			}
			time.Sleep(time.Second)
		}
		c.t.Logf("%s: released after %s", name, time.Since(began))
	}
	released(ended)
	if c.oper("endpoint", "stays") == nil || c.oper("endpoint", other) == nil {
		c.t.Error("a container that lives has lost its endpoint")
	}
	c.reaches(true, "h2", other, stays)
	c.shell(host, "kill -9 "+pids["stays"])
	released("stays")
}

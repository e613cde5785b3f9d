// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
)

// What an engine without live-restore or a whole host takes with it when it dies comes back: containers as their restart policy says, with
// the addresses that they were promised, and of the others everything that they had.
func TestRestarts(t *testing.T) {
	c := start(t, lab.Plan{Name: "dkrestart"})
	c.must("network", "create", "--subnet", "10.1.1.0/24", "--gateway", "10.1.1.254", "blue")
	c.hosted("blue")
	stays := c.run("h1", "stays", "blue")
	c.run("h2", "once", "blue")
	c.run("h2", "back", "blue", "--restart", "always")
	c.run("h2", "fixed", "blue", "--restart", "always", "--ip", "10.1.1.77", "-p", "8080:8000")
	for _, row := range []struct {
		name string
		die  func() error
	}{
		{"an engine without live-restore is killed", func() error {
			if err := c.Kill("h2", lab.PartDocker); err != nil {
				return err
			}
			return c.Start(t.Context(), "h2", lab.PartDocker)
		}},
		{"an engine and its agent are killed", func() error {
			if err := errors.Join(c.Kill("h2", lab.PartDocker), c.Kill("h2", lab.PartAgent)); err != nil {
				return err
			}
			return errors.Join(c.Start(t.Context(), "h2", lab.PartAgent), c.Start(t.Context(), "h2", lab.PartDocker))
		}},
		{"a host loses its power", func() error { return c.Reboot(t.Context(), "h2") }},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := c.at(t)
			if err := row.die(); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			c.only("stays", "back", "fixed")
			t.Logf("as it should be %s after the engine is there", time.Since(began).Round(100*time.Millisecond))
			if got := c.address("h2", "fixed", "blue"); got != "10.1.1.77" {
				t.Errorf("the container with --ip 10.1.1.77 has come back with %s", got)
			}
			for _, name := range []string{"back", "fixed"} {
				c.reaches(true, "h2", name, stays)
				c.reaches(true, "h1", "stays", c.address("h2", name, "blue"))
			}
			if got := c.must("endpoint", "inspect", "fixed"); strings.Count(got, "to 8000") != 2 || !strings.Contains(got, `"tcp 0.0.0.0:8080 to 8000"`) {
				t.Errorf("its published port: %s", got)
			}
			if got := c.shell("h2", "ip -o link | grep -c ': vv' || true"); got != "2" {
				t.Errorf("interfaces of containers: %s, want 2", got)
			}
			c.docker("h2", "start", "once")
			c.reaches(true, "h1", "stays", c.address("h2", "once", "blue"))
		})
	}
	if got := strings.TrimSpace(c.must("docknet", "ls", "-o", "name")); got != "" {
		t.Errorf("want no record of the networks that agents keep, got %s", got)
	}
	for host, names := range map[string][]string{"h1": {"stays"}, "h2": {"once", "back", "fixed"}} {
		c.docker(host, append([]string{"rm", "-f"}, names...)...)
	}
	c.only()
}

// only waits until these containers, and no others, have an endpoint, and their addresses and the gateway's are all that are not free.
func (c *cluster) only(names ...string) {
	c.t.Helper()
	slices.Sort(names)
	within(c.t, 90*time.Second, func() error {
		got := []string{}
		for _, id := range strings.Fields(c.must("endpoint", "ls", "-o", "name")) {
			name, _ := c.oper("endpoint", id)["containerName"].(string)
			got = append(got, name)
		}
		slices.Sort(got)
		if !slices.Equal(got, names) {
			return fmt.Errorf("endpoints: %v, want %v", got, names)
		}
		if taken := strings.Fields(c.must("ip", "show", "blue", "-o", "name")); len(taken) != len(names)+1 {
			return fmt.Errorf("addresses of %v that are not free: %v", names, taken)
		}
		return nil
	})
}

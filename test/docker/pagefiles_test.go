// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
)

// files are the lines of the files that the page shows, by their paths.
func files(t *testing.T) map[string][]string {
	t.Helper()
	out, last := map[string][]string{}, ""
	for _, s := range page(t) {
		if stands[s.section] != standFiles {
			continue
		}
		if path, is := strings.CutPrefix(s.command, "# "); is {
			last = path
			continue
		}
		out[last] = append(out[last], s.command)
	}
	return out
}

// setting is what a unit sets something to, once.
func setting(t *testing.T, unit []string, name string) (value string) {
	t.Helper()
	for _, line := range unit {
		if text, is := strings.CutPrefix(line, name+"="); is && value == "" {
			value = text
		} else if is {
			t.Errorf("%s is set twice", name)
		}
	}
	return value
}

// serves runs the page's door in place of the lab's, with which it has the agent's socket in common, and a container by it.
func (c *cluster) serves(files map[string][]string, network string) {
	c.t.Helper()
	door, agent := files["/etc/systemd/system/netplugin-door.service"], files["/etc/systemd/system/netplugin.service"]
	env := setting(c.t, door, "EnvironmentFile")
	if env == "" || env != setting(c.t, agent, "EnvironmentFile") || setting(c.t, agent, "ExecStart") != "/usr/bin/netplugin" || len(files) != 3 {
		c.t.Errorf("the page's files: %v", files)
	}
	if !slices.Contains(strings.Fields(setting(c.t, door, "Before")), "docker.service") || !slices.Contains(strings.Fields(setting(c.t, agent, "Before")), "docker.service") {
		c.t.Errorf("they start before Docker: %v, %v", door, agent)
	}
	if err := c.Kill("h1", lab.PartPluginProxy); err != nil {
		c.t.Fatal(err)
	}
	line := append([]string{"sh", "-c", `echo $$ >/run/door.pid; exec env "$@"`, "door"}, files[env]...)
	line = append(line, strings.Fields(strings.Replace(setting(c.t, door, "ExecStart"), "/usr/bin", c.bin, 1))...)
	cmd, err := c.Command(c.t.Context(), "h1", line...)
	if err != nil {
		c.t.Fatal(err)
	}
	end := c.began(cmd)
	within(c.t, 20*time.Second, func() error {
		if out, err := on(c.t, c.Lab, "h1", "docker", "run", "--rm", "--network", network, lab.Image, "true"); err != nil {
			return fmt.Errorf("by %s: %w: %s", filepath.Base(cmd.Path), err, out)
		}
		return nil
	})
	end()
	if err := c.Start(c.t.Context(), "h1", lab.PartPluginProxy); err != nil {
		c.t.Fatal(err)
	}
}

// began starts a program on a host; end ends it.
func (c *cluster) began(cmd *exec.Cmd) (end func()) {
	c.t.Helper()
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	return func() {
		c.shell("h1", "kill $(cat /run/door.pid)")
		if err := cmd.Wait(); err != nil {
			c.t.Errorf("%v: %v: %s", cmd.Args, err, said.String())
		}
	}
}

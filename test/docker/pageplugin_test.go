// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
)

// root is the directory of the repository.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// The page's commands for the managed plugin and for a swarm work as described. The addresses of the page are replaced by those of this
// cluster.
func TestPageOfPlugin(t *testing.T) {
	l := up(t, lab.Plan{Name: "plugpage", Hosts: 2, Bare: true})
	first := l.HostList()[0]
	m := newManaged(t, l)
	address := registry(t, l, "h1")
	replaced := []string{"http://10.0.0.1:2379", "http://" + first.IP + ":2379", "10.254.2.1", first.IP,
		"registry.example.org/contiv/v2plugin:v2", address + "/contiv/v2plugin:v2"}
	token := ""
	follow(t, standPlugin, func(s shown, command string) (string, error) {
		switch {
		case strings.HasPrefix(command, "make "):
			return m.made(address)
		case strings.HasPrefix(command, "docker plugin upgrade"): // the other host's networks need no plugin yet
			return on(t, l, "h1", "sh", "-c", command+" && docker plugin set "+pluginName+" "+etcSource)
		case strings.HasPrefix(command, "docker plugin"):
			return m.plugin(command)
		case strings.HasPrefix(command, "docker swarm join"):
			return on(t, l, "h2", "sh", "-c", strings.Replace(command, "TOKEN", token, 1))
		}
		out, err := on(t, l, "h1", "env", "NETMASTER="+m.master, "CONTIV_TRUST="+os.Getenv("CONTIV_TRUST"), "sh", "-c", "PATH="+built(t)+":$PATH; "+command)
		if strings.HasPrefix(command, "docker swarm init") && err == nil {
			token = docker(t, l, "h1", "swarm", "join-token", "-q", "worker")
		}
		return out, err
	}, replaced...)
	m.mesh(m.settle("shop", "web", map[string]int{"h1": 2, "h2": 2}))
	within(t, 30*time.Second, func() error {
		if got := m.netctl("docknet", "ls"); !strings.Contains(got, " db ") || !strings.Contains(got, "user, with its network") {
			return fmt.Errorf("Docker networks: %s", got)
		}
		return nil
	})
}

// made creates the plugin as on the page, and pushes a second version of it to a registry.
func (m *managed) made(registry string) (string, error) {
	cmd := exec.Command("make", "docker-plugin")
	cmd.Dir = root(m.t)
	if out, err := cmd.CombinedOutput(); err != nil {
		return string(out), err
	}
	next := registry + "/contiv/v2plugin:v2"
	docker(m.t, m.lab, "h1", "plugin", "create", next, packed(m.t, "v2"))
	docker(m.t, m.lab, "h1", "plugin", "push", next)
	docker(m.t, m.lab, "h1", "plugin", "rm", next)
	return "", nil
}

// plugin runs a command about the plugin on all hosts, with the settings that a lab needs besides those of the page.
func (m *managed) plugin(command string) (out string, err error) {
	m.t.Helper()
	for i, h := range m.lab.HostList() {
		text := strings.Replace(command, "192.168.251.1", h.VTEP, 1)
		if strings.HasPrefix(command, "docker plugin set") {
			text += " " + strings.Join(m.settings(i), " ")
		}
		if out, err = on(m.t, m.lab, h.Name, "sh", "-c", "cd "+root(m.t)+" && "+text); err != nil {
			return out, err
		}
		if strings.HasPrefix(command, "docker plugin enable") {
			m.logged(h.Name, "netplugin", "msg=ready", 1)
		}
	}
	return out, nil
}

// The page's commands for a lab work as described, as far as this machine has the engines.
func TestPageOfLab(t *testing.T) {
	bin := t.TempDir()
	for name, dir := range map[string]string{"contiv": "console", lab.Program: "lab/contivlab", "netctl": "netctl", "netmaster": "daemon/master", "netplugin": "daemon/agent", "contivk8s": "cni"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, name), "github.com/contiv/contiv/"+dir).CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", name, err, out)
		}
	}
	shell := func(command string) (string, error) {
		cmd := exec.Command("sh", "-c", "PATH="+bin+":$PATH; "+command)
		cmd.Dir = root(t)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	down := func() (string, error) { return shell("contiv lab down --name page") }
	t.Cleanup(func() {
		if out, err := down(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	_, none := os.Stat(filepath.Join(root(t), ".cache/engines/dockerd"))
	follow(t, standLab, func(_ shown, command string) (string, error) {
		if none != nil && (strings.Contains(command, ".cache/engines") || strings.Contains(command, "containerd")) {
			t.Logf("not run, since make engines was not: %s", command)
			return "", nil
		}
		if strings.HasPrefix(command, "contiv lab up") {
			if out, err := down(); err != nil {
				return out, err
			}
		}
		return shell(command)
	}, "--name d ", "--name page ")
}

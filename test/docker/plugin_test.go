// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/lab"
)

// A managed plugin is installed, set, enabled and disabled without a registry; a program that crashes is restarted, and a restart of
// the engine leaves it enabled.
func TestManagedPlugin(t *testing.T) {
	l := up(t, lab.Plan{Name: "managed", Hosts: 1, Bare: true})
	m := install(t, l, packed(t, "v1"))
	enabled := func() string { return docker(t, l, "h1", "plugin", "inspect", "-f", "{{.Enabled}}", pluginName) }
	m.logged("h1", "netplugin", "msg=ready", 1)

	t.Run("settings", func(t *testing.T) { settable(t, l) })

	// A crash: by its id in the host's process namespace. The door, of the same program, stays.
	m.logged("h1", "docker-door", "the agent is reachable", 1)
	crash := "for p in $(pidof netplugin); do grep -q docker-door /proc/$p/cmdline || kill -KILL $p; done"
	if out, err := on(t, l, "h1", "sh", "-c", crash); err != nil {
		t.Fatalf("kill netplugin: %v: %s", err, out)
	}
	m.logged("h1", "netplugin", "msg=ready", 2)
	m.logged("h1", "plugin_bootup", "program exited; restarting", 1)
	m.logged("h1", "docker-door", "the agent is unreachable", 1)
	m.logged("h1", "docker-door", "the agent is reachable", 2)
	if got := m.log("h1", "plugin_bootup"); strings.Count(got, "program exited; restarting") != 1 {
		t.Errorf("more than the agent has crashed: %s", got)
	}

	// The engine ends and starts.
	if err := l.Stop("h1", lab.PartDocker); err != nil {
		t.Fatal(err)
	}
	if err := l.Start(t.Context(), "h1", lab.PartDocker); err != nil {
		t.Fatal(err)
	}
	if got := enabled(); got != "true" {
		t.Errorf("after a restart of the engine the plugin is enabled: %s", got)
	}
	m.logged("h1", "netplugin", "msg=ready", 3)

	began := time.Now()
	docker(t, l, "h1", "plugin", "disable", pluginName)
	if took := time.Since(began); took > 9*time.Second {
		t.Errorf("disabling took %s: the engine has killed the plugin", took)
	}
	m.logged("h1", "plugin_bootup", "the plugin has ended", 2)
	if out, err := on(t, l, "h1", "pidof", "netplugin", "netmaster", "startcontiv"); err == nil {
		t.Errorf("of a disabled plugin there run %s", out)
	}
	docker(t, l, "h1", "plugin", "rm", pluginName)
}

// settable fails unless the plugin's variables are those that its programs read, and can be set.
func settable(t *testing.T, l *lab.Lab) {
	var got []struct {
		Name     string
		Settable []string
	}
	if err := json.Unmarshal([]byte(docker(t, l, "h1", "plugin", "inspect", "-f", "{{json .Config.Env}}", pluginName)), &got); err != nil {
		t.Fatal(err)
	}
	want := []string{"CONTIV_ROLE", "CONTIV_LOG_DIR"}
	for _, program := range []string{"netplugin", "netmaster"} {
		text, err := exec.Command(filepath.Join(built(t), program), "--variables").Output()
		if err != nil {
			t.Fatal(err)
		}
		var read []flags.Variable
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		for _, v := range read {
			want = append(want, v.Name)
		}
	}
	var names []string
	for _, e := range got {
		names = append(names, e.Name)
		if !slices.Equal(e.Settable, []string{"value"}) {
			t.Errorf("%s is not settable: %v", e.Name, e.Settable)
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("variables: want %v, got %v", want, names)
	}
	if len(names) < 40 {
		t.Errorf("only %d variables", len(names))
	}
}

// An upgrade from a registry keeps the plugin's settings, and the store in it.
func TestPluginUpgrade(t *testing.T) {
	l := up(t, lab.Plan{Name: "upgrade", Hosts: 1, Bare: true})
	address := registry(t, l, "h1")
	remote := func(tag string) string { return address + "/contiv/v2plugin:" + tag }
	for _, tag := range []string{"v1", "v2"} {
		docker(t, l, "h1", "plugin", "create", remote(tag), packed(t, tag))
		docker(t, l, "h1", "plugin", "push", remote(tag))
		docker(t, l, "h1", "plugin", "rm", remote(tag))
	}
	m := newManaged(t, l)
	docker(t, l, "h1", append([]string{"plugin", "install", "--grant-all-permissions", "--disable", "--alias", pluginName, remote("v1")}, m.settings(0)...)...)
	docker(t, l, "h1", "plugin", "enable", pluginName)
	m.logged("h1", "netplugin", "msg=ready", 1)
	m.netctl("tenant", "create", "kept")

	docker(t, l, "h1", "plugin", "disable", pluginName)
	docker(t, l, "h1", "plugin", "upgrade", "--grant-all-permissions", "--skip-remote-check", pluginName, remote("v2"))
	docker(t, l, "h1", "plugin", "set", pluginName, etcSource) // the engine kept only the variables
	docker(t, l, "h1", "plugin", "enable", pluginName)
	m.logged("h1", "netplugin", "msg=ready", 2)
	if got := docker(t, l, "h1", "plugin", "inspect", "-f", "{{.Config.Description}}", pluginName); !strings.Contains(got, "v2") {
		t.Errorf("after the upgrade it is %q", got)
	}
	within(t, 20*time.Second, func() error {
		if out, err := netctl(t, m.master, "tenant", "ls", "-o", "name"); err != nil || !strings.Contains(out, "kept") {
			return fmt.Errorf("tenants after the upgrade: %s, %v", out, err)
		}
		return nil
	})
}

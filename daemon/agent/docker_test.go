// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/agent/dockerhost"
	"github.com/contiv/contiv/daemon/flags"
)

func TestDockerOptions(t *testing.T) {
	rows := []struct {
		name, mode string
		want       string // socket, or what is wrong
		global     bool
	}{
		{"netplugin", "docker", "/p/netplugin.sock", false},
		{"my.driver-2", "swarm-mode", "/p/my.driver-2.sock", true},
		{"contiv/v2plugin:latest", "swarm-mode", "/p/netplugin.sock", true}, // as its config.json says
		{"127.0.0.1:5000/contiv:v1", "docker", "/p/netplugin.sock", false},
		{"netplugin", "kubernetes", "", false},
		{"netplugin", "cni", "", false},
		{"netplugin", "auto", "/p/netplugin.sock", false},
		{"../x", "docker", "--plugin-name", false},
		{"a b", "docker", "--plugin-name", false},
	}
	for _, r := range rows {
		o := &dockerhost.Settings{Name: r.name, Dir: "/p"}
		if err := o.Check(r.mode); err != nil {
			if !strings.Contains(err.Error(), r.want) || r.want == "" {
				t.Errorf("%s: want %q, got %v", r.name, r.want, err)
			}
			continue
		}
		if got := o.Driver(r.mode); got.Plugin != r.want || got.Global != r.global || got.Plugin != "" && got.Name != r.name {
			t.Errorf("%s: want %s, global %v, got %+v", r.name, r.want, r.global, got)
		}
	}
}

// The driver is served in the modes of Docker, under the name that Docker uses.
func TestDockerDoor(t *testing.T) {
	for _, row := range []struct {
		mode string
		args []string
		want dockerhost.Driver
	}{
		{"kubernetes", nil, dockerhost.Driver{}},
		{"docker", nil, dockerhost.Driver{Plugin: "/run/docker/plugins/netplugin.sock"}},
		{"docker", []string{"--plugin-name", "contiv", "--docker-plugins", "/plugins", "--docker-scope", "global"}, dockerhost.Driver{Plugin: "/plugins/contiv.sock", Global: true}},
		{"swarm-mode", nil, dockerhost.Driver{Plugin: "/run/docker/plugins/netplugin.sock", Global: true}},
		{"docker", []string{"--docker-agent-socket", "/run/x.sock"}, dockerhost.Driver{Plugin: "/run/x.sock"}},
		{"swarm-mode", []string{"--docker-scope", "local"}, dockerhost.Driver{Plugin: "/run/docker/plugins/netplugin.sock"}},
	} {
		args := append([]string{"--mode", row.mode, "--netmode=vxlan", "--fwdmode=routing", "--ctrl-ip=192.0.2.1"}, row.args...)
		o, err := parse(args, nil, &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		got := o.Docker.Driver(o.Mode)
		if got = (dockerhost.Driver{Plugin: got.Plugin, Global: got.Global}); got != row.want {
			t.Errorf("%v: want %+v, got %+v", args, row.want, got)
		}
	}
}

// The orchestrator is detected unless the operator or Kubernetes sets it.
func TestOrchestrator(t *testing.T) {
	pod := map[string]string{"KUBERNETES_SERVICE_HOST": "10.96.0.1"}
	for _, row := range []struct {
		args []string
		env  map[string]string
		want string
		part dockerhost.Driver // only Plugin
	}{
		{nil, nil, "auto", dockerhost.Driver{Plugin: "/run/docker/plugins/netplugin.sock", Keep: true, Sought: true}},
		{nil, pod, "kubernetes", dockerhost.Driver{}},
		{[]string{"--kubeconfig=/etc/contiv/kubeconfig"}, nil, "kubernetes", dockerhost.Driver{}},
		{[]string{"--mode=CNI"}, nil, "cni", dockerhost.Driver{}},
		{[]string{"--mode=docker"}, pod, "docker", dockerhost.Driver{Plugin: "/run/docker/plugins/netplugin.sock", Keep: true}},
		{nil, map[string]string{"CONTIV_NETPLUGIN_MODE": "docker"}, "docker", dockerhost.Driver{Plugin: "/run/docker/plugins/netplugin.sock", Keep: true}},
		{[]string{"--mode=swarm-mode"}, nil, "swarm-mode", dockerhost.Driver{Plugin: "/run/docker/plugins/netplugin.sock"}},
	} {
		args := append([]string{"--netmode=vxlan", "--fwdmode=routing", "--ctrl-ip=192.0.2.1"}, row.args...)
		o, err := parse(args, environ(row.env), &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		part := o.Docker.Driver(o.orchestrator())
		if part = (dockerhost.Driver{Plugin: part.Plugin, Keep: part.Keep, Sought: part.Sought}); o.orchestrator() != row.want || part != row.part {
			t.Errorf("%v %v: want %s, %+v, got %s, %+v", row.args, row.env, row.want, row.part, o.orchestrator(), part)
		}
	}
}

// An uninstall removes the sockets at which the host's agent listened, including Docker's if the agent served Docker.
func TestUninstalledSockets(t *testing.T) {
	usual := []string{"/run/c/cni.sock", "/run/c/contiv-agent.sock", "/run/c/contiv-mesos.sock"}
	for _, row := range []struct {
		args []string
		want []string
	}{
		{nil, append(usual[:3:3], "/run/docker/plugins/netplugin.sock")}, // the agent may have found an engine
		{[]string{"--mode=kubernetes", "--docker-agent-socket=/run/c/d.sock"}, usual},
		{[]string{"--mode=docker", "--mesos-socket=off"}, append(usual[:2:2], "/run/docker/plugins/netplugin.sock")},
		{[]string{"--mode=Swarm-Mode", "--docker-agent-socket=/run/c/d.sock"}, append(usual[:3:3], "/run/docker/plugins/netplugin.sock", "/run/c/d.sock")},
	} {
		o, err := parse(append([]string{"--uninstall=once", "--cni-socket=/run/c/cni.sock"}, row.args...), nil, &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		if got := o.sockets(); !slices.Equal(got, row.want) {
			t.Errorf("%v: want %v, got %v", row.args, row.want, got)
		}
		if got := o.files(); !slices.Equal(got, []string{"/var/lib/contiv/docker-networks", "/var/lib/contiv/docker-networks.new"}) {
			t.Errorf("%v: want the file of Docker networks removed, got %v", row.args, got)
		}
	}
}

// An agent behind a plugin proxy that does not run reports that.
func TestClosedDoor(t *testing.T) {
	dir := t.TempDir()
	o := &options{}
	o.Docker = dockerhost.Settings{Name: "x", Dir: dir}
	o.Mode = flags.ModeDocker
	if err := o.closed(); err != nil {
		t.Errorf("an agent without a door: %v", err)
	}
	o.Docker.Agent = "/run/x.sock"
	if err := o.closed(); err == nil || !strings.Contains(err.Error(), "run netplugin --docker-door") {
		t.Errorf("no one is there: %v", err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "x.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if err := o.closed(); err != nil {
		t.Errorf("the door is there: %v", err)
	}
	o.Mode, o.Docker.Dir = "kubernetes", "/nowhere"
	if err := o.closed(); err != nil {
		t.Errorf("without Docker: %v", err)
	}
}

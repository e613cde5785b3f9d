package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/agent/node"
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
		{"../x", "docker", "--plugin-name", false},
		{"a b", "docker", "--plugin-name", false},
	}
	for _, r := range rows {
		o := &dockerOptions{Name: r.name, Folder: "/p"}
		if err := o.check(r.mode); err != nil {
			if !strings.Contains(err.Error(), r.want) || r.want == "" {
				t.Errorf("%s: want %q, got %v", r.name, r.want, err)
			}
			continue
		}
		if got := o.part(r.mode); got.Plugin != r.want || got.Global != r.global || got.Plugin != "" && got.Driver != r.name {
			t.Errorf("%s: want %s, global %v, got %+v", r.name, r.want, r.global, got)
		}
	}
}

// The driver is served in the modes of Docker, under the name that Docker calls it by.
func TestDockerDoor(t *testing.T) {
	for _, row := range []struct {
		mode string
		args []string
		want node.Docker
	}{
		{"kubernetes", nil, node.Docker{}},
		{"docker", nil, node.Docker{Plugin: "/run/docker/plugins/netplugin.sock"}},
		{"docker", []string{"--plugin-name", "contiv", "--docker-plugins", "/plugins", "--docker-scope", "global"}, node.Docker{Plugin: "/plugins/contiv.sock", Global: true}},
		{"swarm-mode", nil, node.Docker{Plugin: "/run/docker/plugins/netplugin.sock", Global: true}},
		{"swarm-mode", []string{"--docker-scope", "local"}, node.Docker{Plugin: "/run/docker/plugins/netplugin.sock"}},
	} {
		args := append([]string{"--mode", row.mode, "--netmode=vxlan", "--fwdmode=routing", "--ctrl-ip=192.0.2.1"}, row.args...)
		o, err := parse(args, func(string) string { return "" }, &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		got := o.Docker.part(o.Mode)
		if got = (node.Docker{Plugin: got.Plugin, Global: got.Global}); got != row.want {
			t.Errorf("%v: want %+v, got %+v", args, row.want, got)
		}
	}
}

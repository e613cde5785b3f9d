package main

import (
	"bytes"
	"testing"

	"github.com/contiv/contiv/daemon/agent/node"
)

// The driver is served in the modes of Docker, under the name that Docker calls it by.
func TestDockerDoor(t *testing.T) {
	for _, row := range []struct {
		mode string
		args []string
		want node.Docker
	}{
		{"kubernetes", nil, node.Docker{}},
		{"docker", nil, node.Docker{Socket: "/run/docker/plugins/netplugin.sock"}},
		{"docker", []string{"--plugin-name", "contiv", "--docker-plugins", "/plugins", "--docker-scope", "global"}, node.Docker{Socket: "/plugins/contiv.sock", Global: true}},
		{"swarm-mode", nil, node.Docker{Socket: "/run/docker/plugins/netplugin.sock", Global: true}},
		{"swarm-mode", []string{"--docker-scope", "local"}, node.Docker{Socket: "/run/docker/plugins/netplugin.sock"}},
	} {
		args := append([]string{"--mode", row.mode, "--netmode=vxlan", "--fwdmode=routing", "--ctrl-ip=192.0.2.1"}, row.args...)
		o, err := parse(args, func(string) string { return "" }, &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Docker.door(o.Mode); got != row.want {
			t.Errorf("%v: want %+v, got %+v", args, row.want, got)
		}
	}
}

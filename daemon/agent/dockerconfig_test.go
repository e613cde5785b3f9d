package main

import (
	"strings"
	"testing"
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

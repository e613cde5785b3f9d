// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/agent/docker"
	"github.com/contiv/contiv/daemon/flags"
)

// Config is the plugin's config.json (Docker's "Plugin Config Version 1 of Plugin V2").
type Config struct {
	Description     string    `json:"description"`
	Documentation   string    `json:"documentation"`
	Entrypoint      []string  `json:"entrypoint"`
	WorkDir         string    `json:"workDir"`
	Interface       Interface `json:"interface"`
	Network         Network   `json:"network"`
	Linux           Linux     `json:"linux"`
	Mounts          []Mount   `json:"mounts"`
	PropagatedMount string    `json:"propagatedMount"`
	Env             []Env     `json:"env"`
}

// Interface is the plugin's interface to the engine, with its socket in /run/docker/plugins.
type Interface struct {
	Types  []string `json:"types"`
	Socket string   `json:"socket"`
}

// Network is the plugin's network namespace.
type Network struct {
	Type string `json:"type"`
}

// Linux has the plugin's capabilities beyond those of every container.
type Linux struct {
	Capabilities []string `json:"capabilities"`
}

// Mount is a part of the host visible to the plugin.
type Mount struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Source      string   `json:"source"`
	Destination string   `json:"destination"`
	Type        string   `json:"type"`
	Options     []string `json:"options"`
	Settable    []string `json:"settable"`
}

// Env is an environment variable.
type Env struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Value       string   `json:"value"`
	Settable    []string `json:"settable"`
}

// usualName is the name of the plugin unless its settings change it.
const usualName = "contiv/v2plugin:latest"

// dataDir is the data that survives an upgrade of the plugin.
const dataDir = "/var/lib/contiv"

// hostEtc is the path of the host's /etc in the plugin.
const hostEtc = "/host/etc"

// presets are the values of variables in the plugin unless they are set; all others are empty, so that the programs use their defaults.
func presets() map[string]string {
	return map[string]string{
		"CONTIV_NETPLUGIN_MODE": "swarm-mode", "CONTIV_NETPLUGIN_NET_MODE": "vxlan", "CONTIV_NETPLUGIN_FORWARD_MODE": "routing",
		"CONTIV_NETPLUGIN_DOCKER_AGENT_SOCKET": docker.DefaultAgentSocket, "CONTIV_NETPLUGIN_PLUGIN_NAME": usualName, "CONTIV_NETMASTER_PLUGIN_NAME": usualName,
		"CONTIV_NETMASTER_MODE": "swarm-mode", "CONTIV_NETMASTER_NET_MODE": "vxlan", "CONTIV_NETMASTER_FORWARD_MODE": "routing",
	}
}

// newConfig returns the configuration of a build that reads these variables.
func newConfig(version string, variables []flags.Variable) (*Config, error) {
	env := []Env{
		{Name: "CONTIV_ROLE", Description: "netplugin; or netmaster: netplugin and netmaster", Value: "netplugin"},
		{Name: "CONTIV_LOG_DIR", Description: "directory of the logs, below the host's /var/log", Value: "/var/log/contiv"},
	}
	preset := presets()
	for _, v := range variables {
		env = append(env, Env{Name: v.Name, Description: describe(v), Value: preset[v.Name]})
		delete(preset, v.Name)
	}
	if len(preset) > 0 {
		return nil, fmt.Errorf("the programs read no %s", strings.Join(slices.Sorted(maps.Keys(preset)), ", "))
	}
	for i := range env {
		env[i].Settable = []string{"value"}
	}
	return &Config{
		Description:     "Contiv " + version + ": networks and policies for containers",
		Documentation:   "https://github.com/contiv/contiv/blob/main/docs/how-to/docker-plugin.md",
		Entrypoint:      []string{"/bin/" + entrypoint},
		WorkDir:         "/",
		Interface:       Interface{Types: []string{"docker.networkdriver/1.0", "docker.ipamdriver/1.0"}, Socket: docker.DefaultName + ".sock"},
		Network:         Network{Type: "host"},
		Linux:           Linux{Capabilities: []string{"CAP_SYS_ADMIN", "CAP_NET_ADMIN"}},
		Mounts:          mounts(),
		PropagatedMount: dataDir,
		Env:             env,
	}, nil
}

// describe describes a variable, and the program's default.
func describe(v flags.Variable) string {
	if v.Default == "" || v.Default == "false" {
		return v.Usage
	}
	return v.Usage + " (default " + v.Default + ")"
}

// mounts are the host's directories that the plugin sees.
func mounts() []Mount {
	mount := func(name, about, from, to string, options ...string) Mount {
		return Mount{Name: name, Description: about, Source: from, Destination: to, Type: "bind", Options: append([]string{"rbind"}, options...), Settable: []string{"source"}}
	}
	return []Mount{
		mount("run", "sockets of Open vSwitch, of Docker and for CNI; network namespaces", "/var/run", "/var/run", "rslave"),
		mount("log", "logs", "/var/log", "/var/log"),
		mount("etc", "the machine's identity, certificates; /etc/contiv/trust is written when they are renewed", "/etc", hostEtc),
	}
}
